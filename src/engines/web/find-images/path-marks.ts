import { lastSegment } from './image-address.ts'

/** What the path of an address says about size, and the path without those words. */
type PathMarks = {
  path: string
  /** The site behind a proxy that carries its host name in the path. */
  host?: string
  width?: number
  height?: number
  density?: number
  isReduced: boolean
  /** The site serves the unmarked path too. */
  keepsOriginals?: boolean
}

type Rule = { applies(url: URL): boolean; read(path: string): PathMarks | undefined }

/** Longer paths are not worth the reading. */
const maxPathLength = 2048

const rules: Rule[] = [
  { applies: ({ hostname }) => hostname.endsWith('.wikimedia.org'), read: readWikimedia },
  {
    applies: ({ hostname, pathname }) => hostname === 'cdn.shopify.com' || pathname.startsWith('/cdn/shop/'),
    read: readShopify,
  },
  { applies: ({ hostname }) => hostname === 'static.wixstatic.com', read: readWix },
  { applies: ({ hostname }) => /^i\d\.wp\.com$/.test(hostname), read: readPhoton },
  { applies: ({ pathname }) => pathname.includes('/image/upload/'), read: readCloudinary },
  { applies: ({ pathname }) => pathname.includes('/content/images/size/'), read: readGhost },
  { applies: ({ pathname }) => pathname.includes('/styles/'), read: readDrupal },
  { applies: ({ hostname }) => /(?:^|\.)(?:googleusercontent|ggpht)\.com$/.test(hostname), read: readGoogle },
  { applies: ({ hostname }) => hostname === 'miro.medium.com', read: readMedium },
]

export function readPathMarks(url: URL): PathMarks {
  if (url.pathname.length > maxPathLength) return { path: url.pathname, isReduced: false }
  return rules.find(({ applies }) => applies(url))?.read(url.pathname) ?? readFileName(url.pathname)
}

const number = (digits: string | undefined) => (digits ? Number(digits) : undefined)

/** Replaces the last segment of a path. */
const withName = (path: string, name: string) => path.slice(0, path.length - lastSegment(path).length) + name

/** `photo-300x200.jpg` and `photo-scaled.jpg` (WordPress and others), `photo@2x.jpg`. */
function readFileName(path: string): PathMarks {
  const name = lastSegment(path)
  const sized = /-(\d{2,5})x(\d{2,5})(\.\w{3,4})$/.exec(name)
  if (sized) {
    const plain = name.slice(0, sized.index) + sized[3]
    return { path: withName(path, plain), width: number(sized[1]), height: number(sized[2]), isReduced: true }
  }
  const scaled = /-scaled(\.\w{3,4})$/.exec(name)
  if (scaled) return { path: withName(path, name.slice(0, scaled.index) + scaled[1]), width: 2560, isReduced: true }
  const dense = /@([234])x(\.\w{3,4})$/.exec(name)
  if (dense) {
    return { path: withName(path, name.slice(0, dense.index) + dense[2]), density: number(dense[1]), isReduced: false }
  }
  return { path, isReduced: false }
}

/** `/thumb/a/ab/Cat.jpg/320px-Cat.jpg` is a size of `/a/ab/Cat.jpg`. */
function readWikimedia(path: string): PathMarks | undefined {
  const segments = path.split('/')
  const thumb = segments.indexOf('thumb')
  const width = /(?:^|-)(\d{1,5})px-/.exec(segments.at(-1)!)?.[1]
  if (thumb < 0 || !width) return undefined
  const original = [...segments.slice(0, thumb), ...segments.slice(thumb + 1, -1)].join('/')
  return {
    path: original,
    width: Number(width),
    isReduced: true,
    keepsOriginals: /\.(?:jpe?g|png|gif|webp)$/i.test(original),
  }
}

/** `photo_200x.jpg`, `photo_200x300_crop_center.jpg`, `photo_grande.jpg`. */
function readShopify(path: string): PathMarks {
  const name = lastSegment(path)
  const sized =
    /_(\d{1,5}x\d{0,5}|x\d{1,5})(?:_crop_[a-z]+)?(?:@\dx)?(?:\.progressive)?(\.\w{3,4})$/.exec(name) ??
    /_(pico|icon|thumb|small|compact|medium|large|grande|original|master)(\.\w{3,4})$/.exec(name)
  if (!sized) return { path, isReduced: false, keepsOriginals: true }
  const plain = name.slice(0, sized.index) + sized[2]
  const [, width, height] = /^(\d*)x(\d*)$/.exec(sized[1]!) ?? []
  const size = { width: number(width), height: number(height) }
  return { path: withName(path, plain), ...size, isReduced: true, keepsOriginals: true }
}

/** `/media/abc~mv2.jpg/v1/fill/w_300,h_200/cat.jpg`. */
function readWix(path: string): PathMarks | undefined {
  const [original, marks] = path.split('/v1/', 2)
  return original && marks
    ? { path: original, ...readCommaMarks(marks), isReduced: true, keepsOriginals: true }
    : undefined
}

/** `i0.wp.com/blog.example/uploads/cat.jpg`, a copy of what lies at the host that comes first. */
function readPhoton(path: string): PathMarks | undefined {
  const [, host, ...rest] = path.split('/')
  return host?.includes('.') ? { ...readFileName(`/${rest.join('/')}`), host } : undefined
}

/** Signatures, and lists of what Cloudinary may be asked for: `w_300,c_fill`. A folder may look alike (`a_room`). */
const cloudinaryMark =
  /^s--[\w-]+--$|^(?:(?:[a-ehlo-rt-z]|ac|af|ar|bo|br|co|dl|dn|dpr|du|eo|f|fl|fn|fps|g|if|ki|pg|so|sp|vc|vs)_[^,]+(?:,|$))+$/

/** `/image/upload/w_300,c_fill/v12/cat.jpg`. What follows the version is the picture's own path; its name may be `img_1`. */
function readCloudinary(path: string): PathMarks {
  const [start, end] = path.split('/image/upload/', 2)
  const segments = end!.split('/')
  const version = segments.findIndex((segment) => /^v\d+$/.test(segment))
  const ownPath = version < 0 ? segments.length - 1 : version
  const isMark = (segment: string, index: number) => index < ownPath && cloudinaryMark.test(segment)
  const marks = segments.filter(isMark)
  const kept = segments.filter((segment, index) => !isMark(segment, index))
  return {
    path: `${start}/image/upload/${kept.join('/')}`,
    ...readCommaMarks(marks.join(',')),
    isReduced: marks.length > 0,
  }
}

/** `/content/images/size/w600/2024/cat.jpg`. */
function readGhost(path: string): PathMarks {
  const [start, end] = path.split('/size/', 2)
  const [size, ...rest] = end!.split('/')
  const kept = rest[0] === 'format' ? rest.slice(2) : rest
  const [, width, height] = /^(?:w(\d{1,5}))?(?:h(\d{1,5}))?$/.exec(size!) ?? []
  return {
    path: `${start}/${kept.join('/')}`,
    width: number(width),
    height: number(height),
    isReduced: true,
    keepsOriginals: true,
  }
}

/** `/files/styles/large/public/cat.jpg`. */
function readDrupal(path: string): PathMarks | undefined {
  const [start, end] = path.split('/styles/', 2)
  const [, access, ...rest] = end!.split('/')
  return access === 'public' && rest.length > 0 ? { path: `${start}/${rest.join('/')}`, isReduced: true } : undefined
}

/** `/abc=w400-h300` and `/a/b/s320/cat.jpg`. */
function readGoogle(path: string): PathMarks {
  const [plain, marks = ''] = path.split('=', 2)
  const segments = plain!.split('/')
  const inPath = segments.find((segment) => /^[sw]\d{1,5}(?:-[a-z0-9-]+)?$/.test(segment))
  const width = number(/^[sw](\d{1,5})/.exec(inPath ?? marks)?.[1])
  const kept = inPath ? segments.filter((segment) => segment !== inPath) : segments
  return { path: kept.join('/'), width, isReduced: width !== undefined }
}

/** `/v2/resize:fit:1400/format:webp/abc.jpeg`. */
function readMedium(path: string): PathMarks {
  const segments = path.split('/').filter((segment) => segment !== 'v2')
  const width = /resize:\w+:(\d{1,5})/.exec(path)?.[1]
  return {
    path: segments.filter((segment) => !segment.includes(':')).join('/'),
    width: number(width),
    isReduced: Boolean(width),
  }
}

/** `w_300,h_200,c_fill`. */
function readCommaMarks(marks: string): { width?: number; height?: number } {
  return {
    width: number(/(?:^|[,/])w_(\d{1,5})(?![\d.])/.exec(marks)?.[1]),
    height: number(/(?:^|[,/])h_(\d{1,5})(?![\d.])/.exec(marks)?.[1]),
  }
}
