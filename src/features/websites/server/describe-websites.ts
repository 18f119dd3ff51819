import { collectionsNaming } from '#features/media/server/listing/collections-naming.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Website, WebsiteBranding } from '../contract.ts'
import { countContents, type WebsiteRow } from './store.ts'

export async function describeWebsites(db: Db, ownerId: number, rows: WebsiteRow[]): Promise<Website[]> {
  const contents = await countContents(db, ownerId)
  const smart = await collectionsNaming(db, ownerId, 'website')
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    url: row.url,
    languages: JSON.parse(row.languages),
    tone: row.tone,
    audience: row.audience,
    keywords: row.keywords,
    namePattern: row.name_pattern,
    branding: websiteBrandingOf(row),
    presets: JSON.parse(row.presets ?? '[]'),
    creator: row.creator,
    licence: row.licence,
    statesRights: row.states_rights === 1,
    ...(contents.get(row.id) ?? { collectionCount: 0, mediaCount: 0 }),
    smartCollections: smart.of(row.name),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }))
}

/** Only what the website states; a collection has the defaults for everything else. */
export const websiteBrandingOf = ({ branding }: Pick<WebsiteRow, 'branding'>): WebsiteBranding =>
  JSON.parse(branding ?? '{}')
