import type { Kysely } from 'kysely'
import { notFound } from '#platform/errors.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'

type Connections = { db: Kysely<Tables>; slowReads: Kysely<Tables> }

/** Exact, and read from the counters that the database keeps wherever there is one for the question. */
export async function countListed({ db, slowReads }: Connections, ownerId: number, query: MediaQuery) {
  const { collectionId, type, favorite, trashed } = query
  const filters = [type, favorite, trashed].filter(Boolean).length
  if (collectionId) {
    const mediaCount = await loadCollectionCount(db, ownerId, collectionId)
    return filters === 0 ? mediaCount : countFound(slowReads, ownerId, query)
  }
  if (filters > 1) return countFound(slowReads, ownerId, query)
  const counts = await findCounts(db, ownerId)
  // The account was deleted since its session was read.
  if (!counts) throw notFound('Account')
  if (trashed) return counts.trashed_count
  if (favorite) return counts.favorite_count
  if (type) return type === 'image' ? counts.image_count : counts.video_count
  return counts.media_count - counts.trashed_count
}

const findCounts = prepareQuery((db, ownerId: number) =>
  db
    .selectFrom('users')
    .select(['media_count', 'trashed_count', 'image_count', 'video_count', 'favorite_count'])
    .where('id', '=', ownerId),
)

const findCollectionCount = prepareQuery((db, collectionId: number, ownerId: number) =>
  db.selectFrom('collections').select('media_count').where('id', '=', collectionId).where('owner_id', '=', ownerId),
)

export async function loadCollectionCount(db: Kysely<Tables>, ownerId: number, collectionId: number) {
  const collection = await findCollectionCount(db, collectionId, ownerId)
  if (!collection) throw notFound('Collection')
  return collection.media_count
}

async function countFound(db: Kysely<Tables>, ownerId: number, { collectionId, type, favorite, trashed }: MediaQuery) {
  let rows = db
    .selectFrom('media')
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', trashed ? 1 : 0)
  if (type) rows = rows.where('type', '=', type)
  if (favorite) rows = rows.where('is_favorite', '=', 1)
  if (collectionId) {
    rows = rows.where('id', 'in', (members) =>
      members.selectFrom('collection_media').select('media_id').where('collection_id', '=', collectionId),
    )
  }
  return countRows(rows)
}
