import type { PublicMedia } from '../../contract.ts'
import { html, trusted } from './document.ts'

type Described = {
  media: PublicMedia
  name: string
  contentUrl: string
  thumbnailUrl: string
  /** Named if neither the item nor its website has a creator. */
  owner: string | null
}

/** What search engines read about an image (schema.org). Only texts that the owner wrote are stated as its description. */
export function imageObject({ media, name, contentUrl, thumbnailUrl, owner }: Described) {
  const creator = media.creator ?? owner
  const credit = media.credit ?? creator
  return {
    '@context': 'https://schema.org',
    '@type': 'ImageObject',
    name,
    ...(media.caption && { description: media.caption }),
    contentUrl,
    thumbnailUrl,
    ...(media.width && media.height && { width: media.width, height: media.height }),
    uploadDate: media.createdAt,
    ...(creator && { creator: { '@type': 'Person', name: creator } }),
    ...(credit && { creditText: credit }),
    ...rightsOf(media),
  }
}

/** schema.org wants the address of a license; its words are a notice. */
function rightsOf({ licence }: PublicMedia) {
  if (!licence) return {}
  return /^https?:\/\//i.test(licence) ? { license: licence } : { copyrightNotice: licence }
}

/** A data block, which no browser runs. Escaped, so that no text ends the element. */
export function structuredData(data: object | object[]) {
  return html`<script type="application/ld+json">${trusted(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script>`
}
