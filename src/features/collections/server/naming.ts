import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db } from '#platform/server/db/tables.ts'

/** What the names of a collection's items are made of. */
type CollectionNaming = { collection: string; website: string; pattern: string | null }

/** By collection; those of other owners are left out. A company without a website is the website's name. */
export async function listNamings(db: Db, ownerId: number, collectionIds: number[]) {
  const namings = new Map<number, CollectionNaming>()
  for (const part of partsToAsk([...new Set(collectionIds)])) {
    const rows = await db
      .selectFrom('collections')
      .leftJoin('websites', 'websites.id', 'collections.website_id')
      .select(['collections.id', 'collections.name', 'collections.company'])
      .select(['websites.name as website', 'websites.name_pattern'])
      .where('collections.id', 'in', part)
      .where('collections.owner_id', '=', ownerId)
      .execute()
    for (const { id, name, company, website, name_pattern } of rows)
      namings.set(id, { collection: name, website: website ?? company ?? '', pattern: name_pattern || null })
  }
  return namings
}
