import type { Insertable, Updateable } from 'kysely'
import { withCounts } from '#features/media/server/listing/collection-items.ts'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'

export type WebsiteRow = Row<'websites'>

/** Names that differ only in case, accents or width are one website. */
export const websiteKey = (name: string) => fold(name).trim()

export async function loadOwnedWebsite(db: Db, ownerId: number, id: number): Promise<Owned<WebsiteRow>> {
  const row = await db
    .selectFrom('websites')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (!row) throw notFound('Website')
  return asOwned(row)
}

export async function listWebsites(db: Db, ownerId: number) {
  return db
    .selectFrom('websites')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('name_key')
    .orderBy('id')
    .execute()
}

export async function findWebsiteNamed(db: Db, ownerId: number, name: string): Promise<WebsiteRow | undefined> {
  return db
    .selectFrom('websites')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('name_key', '=', websiteKey(name))
    .executeTakeFirst()
}

export async function countWebsites(db: Db, ownerId: number) {
  const { count } = await db
    .selectFrom('websites')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Collections and items of each website; a website without collections is missing. */
export async function countContents(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('collections')
    .select(['id', 'owner_id', 'website_id', 'query', 'media_count'])
    .where('owner_id', '=', ownerId)
    .where('website_id', 'is not', null)
    .execute()
  const byWebsite = Map.groupBy(await withCounts(db, rows), ({ website_id }) => website_id)
  return new Map(
    [...byWebsite].map(([id, collections]) => [
      id,
      { collectionCount: collections.length, mediaCount: collections.reduce((sum, row) => sum + row.media_count, 0) },
    ]),
  )
}

type NewWebsite = Omit<Insertable<Tables['websites']>, 'name_key' | 'created_at' | 'updated_at'>

export async function insertWebsite(db: Db, website: NewWebsite) {
  const now = Date.now()
  return db
    .insertInto('websites')
    .values({ ...website, name_key: websiteKey(website.name), created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The website may have been deleted since it was read. */
export async function updateWebsite(db: Db, id: number, changes: Updateable<Tables['websites']>) {
  const row = await db
    .updateTable('websites')
    .set({ ...changes, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound('Website')
  return row
}

/** Collections are locked in the order of their ids, as everywhere that several are locked. */
export async function lockCollections(db: Db, websiteId: number): Promise<number[]> {
  const query = db.selectFrom('collections').select('id').where('website_id', '=', websiteId).orderBy('id')
  return (await dialectOf(db).lockRows(query).execute()).map(({ id }) => id)
}
