import { type Attributes, attributeOf } from './attributes.ts'
import type { Sighting } from './found-image.ts'
import { toLine, toPixels } from './plain-text.ts'
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
