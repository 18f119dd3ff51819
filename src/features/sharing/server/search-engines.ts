import { Readable } from 'node:stream'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { brandingOf } from '#features/websites/server/branding.ts'
import { notFound } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { escapeHtml } from '#shared/escape.ts'
import { noWords } from './page-words.ts'
import { largeAddress, tilesPerPage, titleOf } from './pages/collection-page.ts'
import { listVisibleMembers } from './store.ts'
import { collectionPath, toPublicMedia } from './to-public.ts'

/**
 * Addresses of public pages are known to those who have the link, so they are not listed here. A page that must not be
 * listed says so itself, which a search engine can read only if it may open the page.
 */
export const robotsText = `User-agent: *
Disallow: /api/
Disallow: /admin
Disallow: /database
Allow: /
`

export const isIndexed = (collection: CollectionRow) => brandingOf(collection).isIndexed !== false

/** The images of a collection, part by part, because there may be thousands. */
export function imageSitemap(db: Db, collection: CollectionRow, origin: string) {
  if (collection.password_hash !== null || !isIndexed(collection)) throw notFound('Sitemap')
  return Readable.from(sitemapParts(db, collection, origin))
}

/** The most pages that a sitemap may have. */
const maxPages = 50_000

async function* sitemapParts(db: Db, collection: CollectionRow, origin: string) {
  yield `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
`
  const path = origin + collectionPath(collection.public_slug ?? '')
  const allowsDownload = collection.allows_download === 1
  for (let page = 1; page <= maxPages; page++) {
    const members = await listVisibleMembers(db, collection, {
      limit: tilesPerPage,
      offset: (page - 1) * tilesPerPage,
    })
    if (members.length === 0 && page > 1) break
    const images = members
      .map((member) => toPublicMedia(member, { origin, allowsDownload, words: noWords }))
      .filter(({ type }) => type === 'image')
      .map((media) => {
        return `<image:image><image:loc>${escapeHtml(largeAddress(media))}</image:loc><image:title>${escapeHtml(titleOf(media))}</image:title></image:image>`
      })
    yield `<url><loc>${escapeHtml(page === 1 ? path : `${path}?page=${page}`)}</loc>${images.join('')}</url>\n`
    if (members.length < tilesPerPage) break
  }
  yield '</urlset>\n'
}
