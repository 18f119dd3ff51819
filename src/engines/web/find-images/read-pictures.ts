import { type Attributes, attributeOf } from './attributes.ts'
import { findCssImages } from './css-images.ts'
import type { Candidate, ImageSource, Sighting } from './found-image.ts'
import { isRefusedType } from './image-address.ts'
import { readLazyAttributes } from './lazy-attributes.ts'
import { toLine, toLineIfAny, toPixels } from './plain-text.ts'
import { parseSrcset } from './srcset.ts'

const imageTags = new Set(['img', 'image', 'amp-img', 'amp-anim'])
/** What these load by `data-src` is a film, a page or a program. */
const foreignTags = new Set(['iframe', 'script', 'audio', 'track', 'embed', 'object', 'source', 'html'])

/** The pictures that one element shows; `offered` is what the `<source>` elements of its `<picture>` offer. */
export function readPictures(tagName: string, attributes: Attributes, offered: Candidate[]): Sighting[] {
  if (foreignTags.has(tagName)) return []
  if (imageTags.has(tagName) || isImageButton(tagName, attributes)) return readImage(tagName, attributes, offered)

  const sightings: Sighting[] = []
  const see = (source: ImageSource, candidates: Candidate[]) => {
    if (candidates.length > 0) sightings.push({ source, candidates, ...wordsOf(attributes) })
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
  // Without any other word, whatever picture an attribute names is the one that a script will show.
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
  return [
    { source, candidates, ...words, ...size },
    ...others.map((other): Sighting => ({ source: 'attribute', candidates: other, ...words })),
  ]
}

function wordsOf(attributes: Attributes): { alt: string; title?: string } {
  const alt = toLine(attributeOf(attributes, 'alt')) || toLine(attributeOf(attributes, 'aria-label'))
  return { alt, title: toLineIfAny(attributeOf(attributes, 'title')) }
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

/** A counter's picture is a point, or is told to be one. */
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
