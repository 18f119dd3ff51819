import { type Insertable, sql, type Updateable } from 'kysely'
import { notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import { prepareListQuery } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { sortKey } from '#shared/fold.ts'
import type { Media, MediaDetails } from '../contract.ts'
import { listBrokenBlobs } from './blob-store.ts'
import { listSmartCollectionsOf } from './listing/collection-items.ts'
import { asOwned, type Owned } from './owned.ts'
import { type ListedRow, type MediaRow, type MembershipRow, type TagRow, toMedia, toMediaDetails } from './to-media.ts'
import { isShared } from './when-shared.ts'

/** The WHERE clause contains the owner, so another user's item is not found. */
export async function loadOwnedMedia(db: Db, ownerId: number, id: number): Promise<Owned<MediaRow>> {
  const row = await db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (!row) throw notFound('Media')
  return asOwned(row)
}

/** Finds an item of any owner, for background work. */
export async function findMedia(db: Db, id: number) {
  return db.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those of the given ids that belong to the owner, in no particular order. */
export async function loadOwnedMediaList(db: Db, ownerId: number, ids: number[]): Promise<Owned<MediaRow>[]> {
  const rows: MediaRow[] = []
  for (const part of partsToAsk(ids)) {
    rows.push(
      ...(await db.selectFrom('media').selectAll().where('id', 'in', part).where('owner_id', '=', ownerId).execute()),
    )
  }
  return rows.map(asOwned)
}

/** The file sizes of those of the given ids that belong to the owner, for thousands of ids at once. */
export async function listOwnedSizes(db: Db, ownerId: number, ids: readonly number[]): Promise<Map<number, number>> {
  const sizes = new Map<number, number>()
  for (const part of partsToAsk(ids)) {
    const rows = db.selectFrom('media').select(['id', 'size']).where('id', 'in', part).where('owner_id', '=', ownerId)
    for (const { id, size } of await rows.execute()) sizes.set(id, size)
  }
  return sizes
}

/** Adds tags, collections and file states to rows in their order, with three queries for any number of rows. */
export async function describeMedia(db: Db, rows: ListedRow[], origin: string): Promise<Media[]> {
  if (rows.length === 0) return []
  const tags = Map.groupBy(await listTagNames(db, idsOf(rows)), ({ media_id }) => media_id)
  return describeTagged(db, rows, origin, (id) => (tags.get(id) ?? []).map(({ tag }) => tag))
}

/** The same with all details, for one or a few items. */
export async function describeDetails(db: Db, rows: MediaRow[], origin: string): Promise<MediaDetails[]> {
  if (rows.length === 0) return []
  const tags = await listTagsByMedia(db, idsOf(rows))
  const originsOf = (id: number) =>
    (tags.get(id) ?? []).map(({ tag, source, score }): TagRow => ({ tag, source, score }))
  const described = await describeTagged(db, rows, origin, (id) => originsOf(id).map(({ tag }) => tag))
  const languages = await listWebsiteLanguages(db, idsOf(rows))
  const smart = await listSmartCollectionsOf(db, rows[0]!.owner_id, idsOf(rows))
  return rows.map((row, index) => {
    const smartCollections = (smart.get(row.id) ?? []).map(({ mediaId: _, ...collection }) => collection)
    const details = { tagOrigins: originsOf(row.id), websiteLanguages: languages.get(row.id) ?? [], smartCollections }
    return toMediaDetails(row, described[index]!, details)
  })
}

async function describeTagged(db: Db, rows: ListedRow[], origin: string, tagsOf: (id: number) => string[]) {
  const collections = Map.groupBy(await listMemberships(db, idsOf(rows)), ({ media_id }) => media_id)
  const blobs = rows.map(({ blob }) => blob)
  const lost = new Map((await listBrokenBlobs(db, blobs)).map(({ sha256, state }) => [sha256, state]))
  const now = Date.now()
  return rows.map((row) => {
    const memberships = (collections.get(row.id) ?? []).map(
      ({ id, name, ...sharing }): MembershipRow => ({ id, name, isPublic: isShared(sharing, now) }),
    )
    return toMedia(row, { tags: tagsOf(row.id), collections: memberships, file: lost.get(row.blob) ?? 'ok', origin })
  })
}

const idsOf = (rows: ListedRow[]) => rows.map(({ id }) => id)

export async function describeOne(db: Db, row: MediaRow, origin: string): Promise<MediaDetails> {
  const [media] = await describeDetails(db, [row], origin)
  return media!
}

const listTagNames = prepareListQuery((db, mediaIds: number[]) =>
  db
    .selectFrom('media_tags')
    .select(['media_id', 'tag'])
    .where('media_id', 'in', mediaIds)
    .orderBy('media_id')
    .orderBy('position')
    .orderBy('tag'),
)

export const listTags = prepareListQuery((db, mediaIds: number[]) =>
  db
    .selectFrom('media_tags')
    .select(['media_id', 'tag', 'source', 'score', 'position'])
    .where('media_id', 'in', mediaIds)
    .orderBy('media_id')
    .orderBy('position')
    .orderBy('tag'),
)

export const listTagsByMedia = async (db: Db, mediaIds: number[]) =>
  Map.groupBy(await listTags(db, mediaIds), ({ media_id }) => media_id)

export const listMemberships = prepareListQuery((db, mediaIds: number[]) =>
  db
    .selectFrom('collection_media')
    .innerJoin('collections', 'collections.id', 'collection_media.collection_id')
    .select(['collection_media.media_id', 'collections.id', 'collections.name'])
    .select(['collections.is_public', 'collections.share_expires_at'])
    .where('collection_media.media_id', 'in', mediaIds)
    .orderBy('collection_media.added_at')
    .orderBy('collections.id'),
)

/** The languages of the websites of each item's collections: first the main ones, then the others. */
async function listWebsiteLanguages(db: Db, mediaIds: number[]): Promise<Map<number, string[]>> {
  const found = new Map<number, string[][]>()
  for (const { media_id, languages } of await listWebsitesOf(db, mediaIds))
    found.set(media_id, [...(found.get(media_id) ?? []), JSON.parse(languages)])
  const inOrder = (lists: string[][]) => [...new Set([...lists.map(([main]) => main!), ...lists.flat()])]
  return new Map([...found].map(([id, lists]) => [id, inOrder(lists)]))
}

const listWebsitesOf = prepareListQuery((db, mediaIds: number[]) =>
  db
    .selectFrom('collection_media')
    .innerJoin('collections', 'collections.id', 'collection_media.collection_id')
    .innerJoin('websites', 'websites.id', 'collections.website_id')
    .select(['collection_media.media_id', 'websites.languages'])
    .where('collection_media.media_id', 'in', mediaIds)
    .orderBy('collection_media.added_at')
    .orderBy('collections.id'),
)

export async function insertMedia(db: Db, values: Insertable<Tables['media']>) {
  return db.insertInto('media').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Returns the rows in the order of `values`: both databases assign ids in that order but may return rows in another. */
export async function insertMediaRows(db: Db, values: Insertable<Tables['media']>[]) {
  const rows = await db.insertInto('media').values(values).returningAll().execute()
  return rows.sort((first, second) => first.id - second.id)
}

export async function updateMedia(db: Db, id: number, changes: Updateable<Tables['media']>) {
  return db
    .updateTable('media')
    .set({ ...changes, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

export async function updateManyMedia(db: Db, ids: number[], changes: Updateable<Tables['media']>) {
  for (const part of partsToAsk(ids)) {
    const items = db.updateTable('media').where('id', 'in', part)
    await items.set({ ...changes, updated_at: Date.now() }).execute()
  }
}

/** Sets a different name for each item in one statement per batch. The caller holds the locks. */
export async function updateNames(db: Db, names: { id: number; filename: string }[]) {
  for (const part of partsToAsk(names)) {
    const rows = part.map(({ id, filename }) => sql`(CAST(${id} AS BIGINT), ${filename}, ${sortKey(filename)})`)
    await sql`
      UPDATE media SET filename = named.column2, name_key = named.column3, updated_at = ${Date.now()}
      FROM (VALUES ${sql.join(rows)}) AS named WHERE media.id = named.column1`.execute(db)
  }
}

/**
 * [Note: Items are locked first]
 * Triggers update counters and the search index in the same transaction. To avoid deadlocks, a transaction locks items first,
 * then their owners, whose counters change, and collections last, each by ascending id. Returns the ids that still exist.
 */
export async function lockMedia(db: Db, ids: number[]): Promise<number[]> {
  const held: number[] = []
  const wanted = ids.toSorted((first, second) => first - second)
  for (const part of partsToAsk(wanted)) {
    const items = db.selectFrom('media').select('id').where('id', 'in', part).orderBy('id')
    for (const { id } of await dialectOf(db).lockRows(items).execute()) held.push(id)
  }
  return held
}

/** The same for at most a few hundred items of the owner. Returns the rows as they are once locked. */
export async function lockOwnedMedia(db: Db, ownerId: number, ids: number[]): Promise<Owned<MediaRow>[]> {
  const items = db.selectFrom('media').selectAll().where('id', 'in', ids).where('owner_id', '=', ownerId).orderBy('id')
  return (await dialectOf(db).lockRows(items).execute()).map(asOwned)
}

/** Locks one item and returns its current row. Throws if it was deleted in the meantime. */
export async function lockItem(db: Db, { id, owner_id }: MediaRow): Promise<Owned<MediaRow>> {
  const [current] = await lockOwnedMedia(db, owner_id, [id])
  if (!current) throw notFound('Media')
  return current
}

/** Locks the owners and collections whose counters change when the locked items are deleted, trashed or restored. */
export async function lockCounters(db: Db, mediaIds: number[]) {
  const { lockRows } = dialectOf(db)
  const owners = db.selectFrom('media').select('owner_id').where('id', 'in', mediaIds)
  await lockRows(db.selectFrom('users').select('id').where('id', 'in', owners).orderBy('id')).execute()
  const holders = db.selectFrom('collection_media').select('collection_id').where('media_id', 'in', mediaIds)
  await lockRows(db.selectFrom('collections').select('id').where('id', 'in', holders).orderBy('id')).execute()
}

/** At most a few hundred items at once. */
export async function deleteMediaRows(db: Db, ids: number[]) {
  await lockMedia(db, ids)
  await lockCounters(db, ids)
  await deleteSlugs(db, ids)
  await db.deleteFrom('media').where('id', 'in', ids).execute()
}

/** Deletes the public addresses of at most a few hundred items. */
export async function deleteSlugs(db: Db, mediaIds: number[]) {
  if (mediaIds.length === 0) return
  await db.deleteFrom('slugs').where('kind', '=', 'media').where('target_id', 'in', mediaIds).execute()
}
