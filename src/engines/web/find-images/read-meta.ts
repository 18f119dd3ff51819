import { type Attributes, attributeOf, toLine, toPixels } from './attributes.ts'
import type { Sighting } from './found-image.ts'
import { parseSrcset } from './srcset.ts'

const imageProperties = new Set(['og:image', 'twitter:image', 'twitter:image:src', 'thumbnail', 'image'])

/** Other addresses of the `og:image` before them; where there is none, they are it. */
const secondNames = new Set(['og:image:url', 'og:image:secure_url'])

/** Reads `<meta>` and `<link>`; `og:image:width` and its like belong to the `og:image` before them. */
export function createMetaReader(add: (sighting: Sighting) => void) {
  let ogTitle = ''
  let latest: Sighting | undefined

  function readMeta(attributes: Attributes) {
    const content = attributeOf(attributes, 'content') ?? ''
    const named =
      attributeOf(attributes, 'property') ??
      attributeOf(attributes, 'name') ??
      attributeOf(attributes, 'itemprop') ??
      ''
    const property = named.toLowerCase()
    if (property === 'og:title') ogTitle ||= toLine(content)
    else if (imageProperties.has(property) || (!latest && secondNames.has(property))) {
      latest = { source: 'meta', candidates: [{ address: content, origin: 'src' }], alt: '' }
      add(latest)
    } else if (latest) describe(latest, property, content)
  }

  function describe(sighting: Sighting, property: string, content: string) {
    const [candidate] = sighting.candidates
    if (property === 'og:image:width') candidate!.width = toPixels(content)
    if (property === 'og:image:height') candidate!.height = toPixels(content)
    if (property === 'og:image:alt' || property === 'twitter:image:alt') sighting.alt ||= toLine(content)
    if (secondNames.has(property)) sighting.candidates.push({ address: content, origin: 'src' })
  }

  function readLink(attributes: Attributes) {
    const relations = (attributeOf(attributes, 'rel') ?? '').slice(0, 200).toLowerCase().split(/\s+/)
    const href = attributeOf(attributes, 'href') ?? ''
    const isPreload = relations.includes('preload') && attributeOf(attributes, 'as')?.toLowerCase() === 'image'
    if (!isPreload && !relations.includes('image_src') && attributeOf(attributes, 'itemprop') !== 'image') return
    const candidates = parseSrcset(attributeOf(attributes, 'imagesrcset') ?? '', 'srcset')
    const type = attributeOf(attributes, 'type')
    add({
      source: isPreload ? 'preload' : 'meta',
      candidates: [...candidates, { address: href, origin: 'src', type }],
      alt: '',
    })
  }

  return { readMeta, readLink, ogTitle: () => ogTitle }
}

export type JsonLdImage = { address: string; alt: string; width?: number; height?: number }

const imageKeys = new Set(['image', 'images', 'photo', 'photos', 'thumbnailurl', 'thumbnail', 'primaryimageofpage'])
/** The publisher's mark is not a picture of the page. */
const skippedKeys = new Set(['logo'])
const maxNodes = 100_000

type Json = Record<string, unknown>

/** The pictures that a JSON-LD block names, in the order of the block. */
export function findJsonLdImages(text: string): JsonLdImage[] {
  const images: JsonLdImage[] = []
  const queue: Array<{ node: unknown; key: string }> = []
  const enqueue = (node: unknown, key: string) => {
    if (queue.length < maxNodes) queue.push({ node, key })
  }
  enqueue(parse(text), '')
  // A queue instead of recursion: foreign JSON may be nested deeper than the stack.
  for (let index = 0; index < queue.length; index++) {
    const { node, key } = queue[index]!
    if (Array.isArray(node)) {
      for (const item of node) enqueue(item, key)
    } else if (typeof node === 'string') {
      if (imageKeys.has(key)) images.push({ address: node, alt: '' })
    } else if (isObject(node)) {
      const image = imageKeys.has(key) || isImageObject(node) ? readImage(node) : undefined
      if (image) images.push(image)
      for (const [childKey, child] of Object.entries(node)) {
        const lowerKey = childKey.toLowerCase()
        if (!skippedKeys.has(lowerKey)) enqueue(child, lowerKey)
      }
    }
  }
  return images
}

function readImage(node: Json): JsonLdImage | undefined {
  const address = textOf(node.contentUrl) || textOf(node.url)
  const alt = toLine(textOf(node.caption) || textOf(node.name))
  return address ? { address, alt, width: readLength(node.width), height: readLength(node.height) } : undefined
}

/** A number, or schema.org's QuantitativeValue. */
function readLength(value: unknown): number | undefined {
  return toPixels(isObject(value) ? value.value : value)
}

function isImageObject(node: Json): boolean {
  return [node['@type']].flat().some((type) => type === 'ImageObject' || type === 'Photograph')
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A page with broken metadata is still a page.
    return undefined
  }
}
