import { hasPictureEnding, lastSegment } from './image-address.ts'
import { readPathMarks } from './path-marks.ts'

/** What an address tells about the picture behind it. */
type PictureAddress = {
  /** The same for every size of one picture. */
  key: string
  /** The name of the file, without the marks of a size. */
  fileName: string
  width?: number
  height?: number
  density?: number
  /** It carries the marks of a size, so it is probably not the original. */
  isReduced: boolean
  /** The address of the original, where the site is known to keep one. */
  original?: string
}

/** Image services that are handed another address, and the parameter in which they are. */
const wrappers: Array<{ matches(url: URL): boolean; parameter: string }> = [
  {
    matches: ({ pathname }) => /\/_next\/image\/?$|\/_vercel\/image$|\/\.netlify\/images$/.test(pathname),
    parameter: 'url',
  },
  { matches: ({ pathname }) => pathname.endsWith('/_image'), parameter: 'href' },
  { matches: ({ hostname }) => /^(?:wsrv\.nl|images\.weserv\.nl)$/.test(hostname), parameter: 'url' },
]

const widthParameters = ['w', 'width', 'wid', 'imwidth', 'mw', 'max-w', 'maxwidth']
const heightParameters = ['h', 'height', 'hei', 'imheight', 'mh', 'max-h', 'maxheight']
/** Parameters that change a picture's size, shape or packing, not which picture it is. */
const renditionParameters = new Set([
  ...widthParameters,
  ...heightParameters,
  ...`q quality qlt dpr auto fm format fit crop resize scale strip sharp ssl itok im downsize optimize blur`.split(' '),
])

/** Some services know the picture itself by such a parameter: Google's previews are all `/images?q=…`. */
const isOfRendition = (name: string, value: string) =>
  renditionParameters.has(name) && !hasPictureEnding(value) && (name !== 'q' || /^\d{0,3}$/.test(value))

const maxWrapping = 3

export function readPictureAddress(url: URL, depth = 0): PictureAddress {
  if (url.protocol === 'data:') return { key: url.href, fileName: 'inline-image', isReduced: false }
  const inner = depth < maxWrapping ? unwrap(url) : undefined
  if (!inner) return readPlainAddress(url)
  const { key, fileName, original } = readPictureAddress(inner, depth + 1)
  const { width = readPathWidth(url.pathname), height } = readQuerySize(url.searchParams)
  return { key, fileName, width, height, isReduced: true, original: original ?? inner.href }
}

function unwrap(url: URL): URL | undefined {
  const parameter = wrappers.find(({ matches }) => matches(url))?.parameter
  const wrapped = parameter ? url.searchParams.get(parameter) : unwrapPath(url.pathname)
  if (!wrapped) return undefined
  const inner = URL.parse(/^[\w-]+(?:\.[\w-]+)+\//.test(wrapped) ? `https://${wrapped}` : wrapped, url.origin)
  return inner && /^https?:$/.test(inner.protocol) ? inner : undefined
}

/** `/cdn-cgi/image/width=400/photo.jpg` (Cloudflare) and `/_ipx/w_400/photo.jpg` (Nuxt). */
function unwrapPath(path: string): string | undefined {
  const [, rest] = path.split(/\/(?:cdn-cgi\/image|_ipx)\//, 2)
  const slash = rest?.indexOf('/') ?? -1
  if (!rest || slash < 0) return undefined
  const inner = rest.slice(slash + 1)
  // A URL's own parser has already made one slash of two.
  return /^https?:\//.test(inner) ? inner.replace(/^(https?):\/+/, '$1://') : `/${inner}`
}

/** `width=400,quality=75` or `w_400` among the path's segments. */
function readPathWidth(path: string): number | undefined {
  const width = /[,/]w(?:idth)?[=_](\d{1,5})(?=[,/&])/.exec(path)?.[1]
  return width ? Number(width) : undefined
}

function readPlainAddress(url: URL): PictureAddress {
  const marks = readPathMarks(url)
  const asked = readQuerySize(url.searchParams)
  const isAsked = asked.width !== undefined || asked.height !== undefined
  // A name may tell the size of the file (`abc-2000x3000.jpg?w=400`), which is made smaller on demand.
  const { width, height } = isAsked ? asked : marks
  const kept = [...url.searchParams].filter(([name, value]) => !isOfRendition(name.toLowerCase(), value))
  const query = kept.length > 0 ? `?${new URLSearchParams(kept)}` : ''
  const isCut = kept.length < url.searchParams.size
  const original = marks.keepsOriginals && (marks.isReduced || isCut) ? `${url.origin}${marks.path}${query}` : undefined
  return {
    key: `${marks.host ?? url.host}${marks.path}${query}`,
    fileName: fileNameOf(url.pathname, marks.path),
    width,
    height,
    density: marks.density,
    isReduced: marks.isReduced || isAsked,
    original,
  }
}

function readQuerySize(query: URLSearchParams): { width?: number; height?: number } {
  const read = (names: string[]) => {
    const name = names.find((candidate) => /^\d{1,5}$/.test(query.get(candidate) ?? ''))
    return name ? Number(query.get(name)) : undefined
  }
  // `format=500w` is Squarespace's, `resize=300,200` and `fit=300,200` are WordPress.com's.
  const squarespace = /^(\d{2,5})w$/.exec(query.get('format') ?? '')?.[1]
  const pair = /^(\d{1,5})[,x](\d{1,5})$/.exec(query.get('resize') ?? query.get('fit') ?? '')
  return {
    width: read(widthParameters) ?? (squarespace || pair ? Number(squarespace ?? pair?.[1]) : undefined),
    height: read(heightParameters) ?? (pair ? Number(pair[2]) : undefined),
  }
}

/** The unmarked name, unless it is that of another kind of file (`Lens.svg`, drawn as `120px-Lens.svg.png`). */
function fileNameOf(path: string, unmarkedPath: string): string {
  const isOtherKind = hasPictureEnding(path) && !hasPictureEnding(unmarkedPath)
  return decode(lastSegment(isOtherKind ? path : unmarkedPath))
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray per cent sign: the name as it stands will do.
    return segment
  }
}
