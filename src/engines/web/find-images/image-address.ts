const maxUrlLength = 8192

const pictureEnding = /\.(?:jpe?g|jpe|jfif|png|gif|webp|avif|bmp|tiff?|heic|heif)$/i
/** Vector drawings and icons are not media of the library. */
const refusedEnding = /\.(?:svgz?|ico|cur)$/i
/** What the library cannot take as it is; kept only behind versions that it can. */
const foreignEnding = /\.(?:avif|bmp|tiff?|heic|heif|jxl)$/i

const iconName = /^(?:favicon|apple-touch-icon|mstile|android-chrome|safari-pinned-tab)(?![a-z])/i
const emptyPictureName =
  /^(?:blank|spacer|transparent|pixel|clear|1x1|1px|empty|trans|shim|dot|loading|loader|ajax-loader|spinner)\.(?:gif|png|jpe?g|webp)$/i

const trackerHosts = [
  'google-analytics.com',
  'googletagmanager.com',
  'doubleclick.net',
  'googleadservices.com',
  'scorecardresearch.com',
  'quantserve.com',
  'bat.bing.com',
  'ads.linkedin.com',
  'analytics.twitter.com',
  't.co',
  'pixel.wp.com',
  'stats.wp.com',
  'mc.yandex.ru',
  'counter.yadro.ru',
  'amazon-adsystem.com',
  'adsrvr.org',
  'criteo.com',
]
const trackerPath = /^\/tr\/?$|\/(?:matomo|piwik)\.php$|\/(?:pixel|beacon|collect|track)(?:\.(?:gif|png|php))?$/i

/** Whether the path of an address ends like a picture file; query and fragment are ignored. */
export function hasPictureEnding(address: string): boolean {
  if (address.length > maxUrlLength) return false
  return pictureEnding.test(lastSegment(address.split(/[?#]/, 1)[0]!))
}

/** Whether a link leads to a picture file. Wikis name pages like the file they describe, such as `/wiki/File:Cat.jpg`. */
export function isPictureLink(href: string): boolean {
  const segment = lastSegment(href.trim().split(/[?#]/, 1)[0]!)
  return hasPictureEnding(href.trim()) && !/:|%3A/i.test(segment) && !/\/blob\//.test(href)
}

/**
 * The absolute URL, or undefined if it cannot lead to a picture that a user might want. `isNamedByLazyAttribute`: a lazy-loading
 * attribute names it as the real picture, so that a name like `blank.png` means nothing.
 */
export function resolvePicture(address: string, base: URL, isNamedByLazyAttribute = false): URL | undefined {
  if (/^\s*data:/i.test(address)) return isPictureDataUri(address.trim()) ? new URL(address.trim()) : undefined
  if (!/^\s*[^\s#]/.test(address) || address.length > maxUrlLength || /\{\{|\$\{|<%|\{%/.test(address)) return undefined
  const url = URL.parse(address.trim(), base.href)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  url.hash = ''
  const isEmpty = !isNamedByLazyAttribute && emptyPictureName.test(lastSegment(url.pathname))
  return isEmpty || isNoise(url) ? undefined : url
}

export function isForeignFormat(url: URL, type = ''): boolean {
  return foreignEnding.test(url.pathname) || /^image\/(?:avif|heic|heif|jxl|tiff|bmp)/i.test(type)
}

export function isRefusedType(type: string): boolean {
  return /^image\/(?:svg|x-icon|vnd\.microsoft)/i.test(type)
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Trackers, favicons and drawings. */
function isNoise({ hostname, pathname, href }: URL): boolean {
  const name = lastSegment(pathname)
  if (refusedEnding.test(name) || iconName.test(name)) return true
  if (trackerHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))) return true
  return trackerPath.test(pathname) || (pathname === '/' && href.endsWith('/'))
}

/** Below this, a picture inside the page is an icon or a placeholder. */
const minDataUriBytes = 1024

const dataUriStart = /^data:image\/(?:png|jpeg|jpg|gif|webp)(?:;[\w=-]+)*;base64,/i

/** Whether a `data:` URI holds a picture that the library could take and a person might want. */
export function isPictureDataUri(address: string): boolean {
  const start = dataUriStart.exec(address.slice(0, 200))?.[0]
  return start !== undefined && ((address.length - start.length) * 3) / 4 >= minDataUriBytes
}

/** The picture inside a `data:` URI that `findImages` returned; it is not fetched, it is already here. */
export function readDataUri(address: string): Buffer | undefined {
  const start = dataUriStart.exec(address.slice(0, 200))?.[0]
  if (!start) return undefined
  // Scripts that made an address of it have written `+`, `/` and `=` as `%2B`, `%2F` and `%3D`.
  const base64 = address
    .slice(start.length)
    .replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(base64, 'base64')
}
