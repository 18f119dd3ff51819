import { toLine, toPixels } from './plain-text.ts'

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
