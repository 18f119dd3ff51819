import { type Attributes, attributeOf, toLine, toLineIfAny, toPixels } from './attributes.ts'
import { findCssImages } from './css-images.ts'
import type { Candidate, Display, ImageSource, Sighting } from './found-image.ts'
import { hasPictureEnding, isRefusedType } from './image-address.ts'
import { boxAttribute, readBox } from './picture-box.ts'
import { parseSrcset } from './srcset.ts'

const imageTags = new Set(['img', 'image', 'amp-img', 'amp-anim'])
/** Tags whose `data-src` is a video, a page or a script. */
const foreignTags = new Set(['iframe', 'script', 'audio', 'track', 'embed', 'object', 'source', 'html'])

/** The pictures that one element shows; `offered` is what the `<source>` elements of its `<picture>` offer. */
export function readPictures(tagName: string, attributes: Attributes, offered: Candidate[]): Sighting[] {
  if (foreignTags.has(tagName)) return []
  if (imageTags.has(tagName) || isImageButton(tagName, attributes)) return readImage(tagName, attributes, offered)

  const sightings: Sighting[] = []
  const see = (source: ImageSource, candidates: Candidate[]) => {
    if (candidates.length > 0) sightings.push({ source, candidates, ...wordsOf(attributes), display: background })
  }
  if (tagName === 'video' || tagName === 'amp-video') {
    const addresses = [attributeOf(attributes, 'poster'), attributeOf(attributes, 'data-poster')]
    see(
      'video',
      addresses.filter((address) => address !== undefined).map((address) => ({ address, origin: 'src' })),
    )
    return sightings
  }
  const { own, others } = readLazyAttributes(attributes, false)
  for (const candidates of [own, ...others]) see('attribute', candidates)
  for (const candidates of readStyles(attributes)) see('css', candidates)
  return sightings
}

/** What a `<source>` inside a `<picture>` offers. */
export function readSource(attributes: Attributes): Candidate[] {
  const type = attributeOf(attributes, 'type') ?? ''
  if (isRefusedType(type)) return []
  const written = parseSrcset(attributeOf(attributes, 'srcset') ?? '', 'srcset')
  return [...written, ...readLazyAttributes(attributes, true).own].map((candidate) => ({ ...candidate, type }))
}

function readImage(tagName: string, attributes: Attributes, offered: Candidate[]): Sighting[] {
  const { own, others } = readLazyAttributes(attributes, true)
  const src =
    attributeOf(attributes, 'src') ?? attributeOf(attributes, 'href') ?? attributeOf(attributes, 'xlink:href') ?? ''
  const hasTrueSrc = src.trim() !== '' && !/^\s*data:/i.test(src)
  // Without a `src` or known lazy-loading attribute, a picture in any other attribute is the one that a script will show.
  const promoted = hasTrueSrc || own.length > 0 ? [] : others.splice(0).flat()
  const candidates: Candidate[] = [
    ...offered,
    ...own,
    ...promoted.map((candidate): Candidate => ({ ...candidate, origin: 'lazy' })),
    ...parseSrcset(attributeOf(attributes, 'srcset') ?? '', 'srcset'),
    { address: src, origin: 'src' },
  ]
  const words = wordsOf(attributes)
  if (tagName !== 'amp-img' && own.length === 0 && isPixel(attributes)) return []
  const source: ImageSource = tagName === 'image' ? 'svg' : offered.length > 0 ? 'picture' : 'img'
  const size = {
    width: toPixels(attributeOf(attributes, 'width')),
    height: toPixels(attributeOf(attributes, 'height')),
  }
  const isLazy = own.length > 0 || promoted.length > 0
  return [
    { source, candidates, ...words, ...size, display: displayOf(attributes, isLazy) },
    ...others.map((other): Sighting => ({ source: 'attribute', candidates: other, ...words })),
  ]
}

function wordsOf(attributes: Attributes): { alt: string; title?: string } {
  const alt = toLine(attributeOf(attributes, 'alt')) || toLine(attributeOf(attributes, 'aria-label'))
  return { alt, title: toLineIfAny(attributeOf(attributes, 'title')) }
}

/** A background has no alternative text, and its shape is that of its element. */
const background: Display = { alt: '', hasDimensions: true, isLazy: true }

/** `isLazy`: a script loads the picture when it comes into view. */
function displayOf(attributes: Attributes, isLazy: boolean): Display {
  const style = (attributeOf(attributes, 'style') ?? '').slice(0, 500)
  const has = (side: 'width' | 'height') => toPixels(attributeOf(attributes, side)) !== undefined
  const isHidden =
    attributeOf(attributes, 'aria-hidden') === 'true' ||
    /^(?:presentation|none)$/i.test(attributeOf(attributes, 'role') ?? '')
  return {
    alt: isHidden ? '' : (attributeOf(attributes, 'alt') ?? attributeOf(attributes, 'aria-label')),
    sizes: attributeOf(attributes, 'sizes')?.slice(0, 500),
    hasDimensions: (has('width') && has('height')) || /aspect-ratio\s*:|(?:^|[;\s])height\s*:\s*\d/i.test(style),
    isLazy: isLazy || attributeOf(attributes, 'loading')?.trim().toLowerCase() === 'lazy',
    box: readBox(attributeOf(attributes, boxAttribute)),
  }
}

function readStyles(attributes: Attributes): Candidate[][] {
  const style = attributeOf(attributes, 'style') ?? ''
  const pictures = /url\s*\(|image-set\s*\(/i.test(style) ? findCssImages(style) : []
  // `<body background>` and `<td background>`, as old pages have it.
  const background = attributeOf(attributes, 'background')
  return background ? [...pictures, [{ address: background, origin: 'src' }]] : pictures
}

function isImageButton(tagName: string, attributes: Attributes): boolean {
  return tagName === 'input' && attributeOf(attributes, 'type')?.toLowerCase() === 'image'
}

/** Whether an image is a tracking pixel, by its attributes or its style. */
function isPixel(attributes: Attributes): boolean {
  const style = (attributeOf(attributes, 'style') ?? '').slice(0, 500)
  const isPoint = (side: 'width' | 'height') => {
    const pixels = toPixels(attributeOf(attributes, side))
    return pixels !== undefined
      ? pixels <= 2
      : new RegExp(`(?:^|[;\\s])${side}\\s*:\\s*[01](?:px)?\\s*(?:;|!|$)`, 'i').test(style)
  }
  return isPoint('width') && isPoint('height')
}

/** Attributes in which lazy-loading scripts store the real `src`, without the leading `data-` and without hyphens. */
const lazyNames = new Set(
  `src lazysrc lazy lazyload lazyloadsrc original originalsrc origsrc echo llsrc dsrc defersrc deferredsrc delayedurl
  actualsrc cfsrc pagespeedlazysrc pagespeedhighressrc runnersrc flickitylazyload flickitylazyloadsrc nitrolazysrc
  litespeedsrc wpfcoriginalsrc rawsrc imgsrc srclazy unveil ezsrc splidelazy hsrc`.split(/\s+/),
)
const backgroundNames =
  /^(?:lazy)?(?:bg|background)(?:src|image|img|url|lazy|set)?$|^(?:parallax|lazybackground|imagesrc)(?:src|image)?$/
const largerNames = /full|large|zoom|orig|hires|highres|retina|2x|big|master|supersize/
const srcsetNames = /srcset$|^bgset$/
/** Attributes with addresses of pages, players and scripts, even if they end like picture files. */
const ignoredNames = /^(?:href|link|permalink|video|poster|iframe|page)/

/** More than any element of an ordinary page has. */
const maxAttributes = 100

type ReadAttributes = {
  /** Versions of the element's own picture. */
  own: Candidate[]
  /** Other pictures, such as a hover image or the next one of a gallery. */
  others: Candidate[][]
}

/** The pictures in attributes that only scripts read, not browsers. */
function readLazyAttributes(attributes: Attributes, isPicture: boolean): ReadAttributes {
  const own: Candidate[] = []
  const others: Candidate[][] = []
  for (const { name, value } of attributes.slice(0, maxAttributes)) {
    const bare = bareName(name)
    if (!bare || ignoredNames.test(bare)) continue
    if (srcsetNames.test(bare)) own.push(...parseSrcset(value, 'lazy'))
    else if (backgroundNames.test(bare)) own.push(...readBackground(value))
    else if (lazyNames.has(bare)) {
      // An `<img>` loads only pictures; a `<div>` may load anything, so its address must end like a picture file.
      if (isSpacedAddress(value) || (isOneAddress(value) && (isPicture || hasPictureEnding(value))))
        own.push({ address: fillTemplate(value, attributes), origin: 'lazy' })
    } else if (isOneAddress(value) && hasPictureEnding(value)) {
      const address = fillTemplate(value, attributes)
      if (largerNames.test(bare)) own.push({ address, origin: 'full' })
      else others.push([{ address, origin: 'other' }])
    }
  }
  return { own, others }
}

function bareName(name: string): string | undefined {
  if (name.length > 40) return undefined
  if (name.startsWith('data-')) return name.slice(5).replace(/[-_]/g, '')
  return /^(?:nitro-)?lazy-?src$/.test(name) ? 'lazysrc' : undefined
}

function readBackground(value: string): Candidate[] {
  if (/url\s*\(|image-set\s*\(/i.test(value.slice(0, 200))) return findCssImages(`background:${value}`).flat()
  const isAddress = hasPictureEnding(value) || /^\s*(?:https?:)?\//.test(value)
  return isAddress && (isOneAddress(value) || isSpacedAddress(value)) ? [{ address: value, origin: 'lazy' }] : []
}

/** Whether a value is one address and not a flag, a number, a list or JSON. */
function isOneAddress(value: string): boolean {
  return value.length > 3 && /^\s*[^\s<>"[{][^\s<>"]*\s*$/.test(value) && /[./]/.test(value)
}

/** Browsers also load `My photo.jpg`. If several of the words end like picture files, the value is a list. */
function isSpacedAddress(value: string): boolean {
  if (!hasPictureEnding(value.trim()) || /[<>"[{,]/.test(value)) return false
  return value.split(/\s+/).filter(hasPictureEnding).length === 1
}

/** Shopify uses templates such as `photo_{width}x.jpg`, with the possible widths in another attribute. */
function fillTemplate(address: string, attributes: Attributes): string {
  if (!/\{width\}|%7Bwidth%7D/i.test(address)) return address
  const list = attributes.find(({ name }) => name === 'data-widths')?.value.slice(0, 500) ?? ''
  const widths = (list.match(/\d+/g) ?? ['1024']).map(Number)
  return address.replace(/\{width\}|%7Bwidth%7D/gi, String(Math.max(...widths)))
}
