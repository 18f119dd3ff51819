import type { PublicMedia } from '../../contract.ts'
import { html, trusted } from './document.ts'

type Described = { media: PublicMedia; name: string; contentUrl: string; thumbnailUrl: string; creator: string | null }

/** What search engines read about an image (schema.org). Only texts that the owner wrote are stated as its description. */
export function imageObject({ media, name, contentUrl, thumbnailUrl, creator }: Described) {
  return {
    '@context': 'https://schema.org',
    '@type': 'ImageObject',
    name,
    ...(media.caption && { description: media.caption }),
    contentUrl,
    thumbnailUrl,
    ...(media.width && media.height && { width: media.width, height: media.height }),
    uploadDate: media.createdAt,
    ...(creator && { creator: { '@type': 'Person', name: creator }, creditText: creator }),
  }
}

/** A data block, which no browser runs. Escaped, so that no text ends the element. */
export function structuredData(data: object | object[]) {
  return html`<script type="application/ld+json">${trusted(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script>`
}
