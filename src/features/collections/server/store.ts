import { type ExpressionBuilder, sql, type Updateable } from 'kysely'
import { withCounts } from '#features/media/server/listing/collection-items.ts'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { conflict, notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { CollectionDraft, CollectionSummary } from '../contract.ts'

export type CollectionRow = Row<'collections'>

export async function loadOwnedCollection(db: Db, ownerId: number, id: number): Promise<Owned<CollectionRow>> {
  const row = await db
    .selectFrom('collections')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (!row) throw notFound('Collection')
  return asOwned(row)
}

export async function listCollections(db: Db, ownerId: number) {
  return db
    .selectFrom('collections')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function listSummaries(db: Db, slowReads: Db, ownerId: number): Promise<CollectionSummary[]> {
  const rows = await db
    .selectFrom('collections')
    .select(['id', 'owner_id', 'name', 'query', 'is_public', 'media_count', 'website_id'])
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return (await withCounts(slowReads, rows)).map(({ id, name, query, is_public, media_count, website_id }) => ({
    id,
    name,
    query,
    isPublic: is_public === 1,
    mediaCount: media_count,
    websiteId: website_id,
  }))
}

type Beginning = Pick<CollectionRow, 'website_id' | 'branding' | 'checked_css'>

export async function insertCollection(db: Db, ownerId: number, draft: CollectionDraft, beginning: Beginning) {
  const now = Date.now()
  return db
    .insertInto('collections')
    .values({
      owner_id: ownerId,
      name: draft.name,
      description: draft.description || null,
      company: draft.company || null,
      query: draft.query || null,
      ...beginning,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The collection may have been deleted since it was read. */
export async function updateCollection(db: Db, id: number, changes: Updateable<Tables['collections']>) {
  const row = await db
    .updateTable('collections')
    .set({ ...changes, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound('Collection')
  return row
}

/** The same for a collection whose items are put in and taken out by hand. */
export async function holdForMembers(db: Db, id: number): Promise<CollectionRow> {
  const collection = await holdCollection(db, id)
  requireByHand(collection)
  return collection
}

/** The items of a smart collection are the matches of its query, see [Note: Items of a collection]. */
export function requireByHand({ name, query }: Pick<CollectionRow, 'name' | 'query'>) {
  if (query === null) return
  throw conflict(
    `"${name}" is a smart collection: its items are those that match its search. Edit the search, or freeze the collection first.`,
    { isSmart: true },
  )
}

/** Locks the row until the transaction ends, after its items; see [Note: Items are locked first]. */
export async function holdCollection(db: Db, id: number): Promise<CollectionRow> {
  const [row] = await dialectOf(db)
    .lockRows(db.selectFrom('collections').selectAll().where('id', '=', id))
    .execute()
  if (!row) throw notFound('Collection')
  return row
}

export async function deleteCollection(db: Db, id: number) {
  await db.deleteFrom('collections').where('id', '=', id).execute()
  await db.deleteFrom('slugs').where('kind', '=', 'collection').where('target_id', '=', id).execute()
}

/** For an empty collection, or after the items that are already there. */
export async function insertMemberships(
  db: Db,
  collectionId: number,
  { media, after }: { media: { id: number; created_at: number }[]; after: number },
) {
  const rows = media.map(({ id, created_at }, index) => ({
    collection_id: collectionId,
    media_id: id,
    media_created_at: created_at,
    position: after + index + 1,
    added_at: Date.now(),
  }))
  await db.insertInto('collection_media').values(rows).execute()
}

/** Returns whether the item was added, rather than there before. */
export async function insertMembership(db: Db, collectionId: number, media: { id: number; created_at: number }) {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('collection_media')
    .values((values) => ({
      collection_id: collectionId,
      media_id: media.id,
      media_created_at: media.created_at,
      position: nextPosition(values, collectionId),
      added_at: Date.now(),
    }))
    .onConflict((conflict) => conflict.columns(['collection_id', 'media_id']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

function nextPosition(values: ExpressionBuilder<Tables, 'collection_media'>, collectionId: number) {
  return values
    .selectFrom('collection_media as last')
    .select(sql<number>`coalesce(max(last.position), 0) + 1`.as('position'))
    .where('last.collection_id', '=', collectionId)
}

/** An item's position in a collection, and when it was added. */
export type Membership = Pick<Row<'collection_media'>, 'collection_id' | 'media_id' | 'position' | 'added_at'>

/**
 * Puts an item into every collection that contains one of the others, in its place. The caller holds the locks. Returns the
 * collections that did not contain it before.
 */
export async function takePlaces(db: Db, item: { id: number; created_at: number }, others: number[]) {
  const members = await db
    .selectFrom('collection_media')
    .select(['collection_id', 'position', 'added_at'])
    .where('media_id', 'in', others)
    .orderBy('collection_id')
    .orderBy('position')
    .execute()
  const places = new Map(members.toReversed().map((place) => [place.collection_id, place]))
  if (places.size === 0) return []
  const rows = [...places.values()].map((place) => ({ ...place, media_id: item.id, media_created_at: item.created_at }))
  const added = await db
    .insertInto('collection_media')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['collection_id', 'media_id']).doNothing())
    .returning('collection_id')
    .execute()
  return added.map(({ collection_id }) => collection_id)
}

type CoverChange = { from: number[]; to: number; collectionId?: number }

/** Makes an item the cover where one of the others was. Returns which one was the cover of which collection. */
export async function replaceCover(db: Db, { from, to, collectionId }: CoverChange) {
  const covered = db.selectFrom('collections').select(['id', 'cover_media_id']).where('cover_media_id', 'in', from)
  const rows = await (collectionId === undefined ? covered : covered.where('id', '=', collectionId)).execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await db.updateTable('collections').set({ cover_media_id: to }).where('id', 'in', ids).execute()
  return rows.map(({ id, cover_media_id }) => ({ collectionId: id, mediaId: cover_media_id! }))
}

/**
 * The caller holds the items' locks. The collection, whose count changes, is locked next,
 * see [Note: Items are locked first].
 */
export async function deleteMemberships(db: Db, collectionId: number, mediaIds: number[]): Promise<Membership[]> {
  await holdMembers(db, collectionId)
  return db
    .deleteFrom('collection_media')
    .where('collection_id', '=', collectionId)
    .where('media_id', 'in', mediaIds)
    .returning(['collection_id', 'media_id', 'position', 'added_at'])
    .execute()
}

/**
 * Restores items to their positions in one collection and returns their ids; the caller holds their locks. Items that
 * are there already stay unchanged; a collection that is gone, or whose id another user has now, gets none.
 */
export async function restoreMemberships(db: Db, collectionId: number, memberships: Membership[]): Promise<number[]> {
  const collection = await holdMembers(db, collectionId)
  if (!collection || collection.query !== null) return []
  const media = await db
    .selectFrom('media')
    .select(['id', 'created_at'])
    .where('owner_id', '=', collection.owner_id)
    .where(
      'id',
      'in',
      memberships.map(({ media_id }) => media_id),
    )
    .execute()
  if (media.length === 0) return []
  const createdAt = new Map(media.map(({ id, created_at }) => [id, created_at]))
  const rows = memberships
    .filter(({ media_id }) => createdAt.has(media_id))
    .map((membership) => ({ ...membership, media_created_at: createdAt.get(membership.media_id)! }))
  const restored = await db
    .insertInto('collection_media')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['collection_id', 'media_id']).doNothing())
    .returning('media_id')
    .execute()
  return restored.map(({ media_id }) => media_id)
}

async function holdMembers(db: Db, id: number) {
  const held = dialectOf(db).lockRows(db.selectFrom('collections').select(['owner_id', 'query']).where('id', '=', id))
  return held.executeTakeFirst()
}

/** The next item in the owner's order; null at the end. */
export async function findFollower(db: Db, collectionId: number, mediaId: number): Promise<number | null> {
  const row = await db
    .selectFrom('collection_media as member')
    .innerJoin('collection_media as next', 'next.collection_id', 'member.collection_id')
    .select('next.media_id as id')
    .where('member.collection_id', '=', collectionId)
    .where('member.media_id', '=', mediaId)
    .where((where) =>
      where.or([
        where('next.position', '>', where.ref('member.position')),
        where.and([
          where('next.position', '=', where.ref('member.position')),
          where('next.media_id', '>', where.ref('member.media_id')),
        ]),
      ]),
    )
    .orderBy('next.position')
    .orderBy('next.media_id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/** All items, those in the trash included. */
export async function listMembers(db: Db, collectionId: number) {
  const members = db.selectFrom('collection_media').select('media_id').where('collection_id', '=', collectionId)
  return (await members.execute()).map(({ media_id }) => media_id)
}
