import type { Kysely } from 'kysely'
import { notFound } from '#platform/errors.ts'
import { countRows } from '#platform/server/db/count-rows.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'
import { listedMedia } from './listed-media.ts'

type Connections = { db: Kysely<Tables>; slowReads: Kysely<Tables> }

/** Exact, and read from the counters that the database keeps wherever there is one for the question. */
export async function countListed({ db, slowReads }: Connections, ownerId: number, query: MediaQuery) {
  const { collectionId, type, favorite, trashed } = query
  const filters = [type, favorite, trashed].filter(Boolean).length
  if (collectionId) {
    const mediaCount = await loadCollectionCount(db, ownerId, collectionId)
    return filters === 0 ? mediaCount : countRows(listedMedia(slowReads, ownerId, query))
  }
  if (filters > 1) return countRows(listedMedia(slowReads, ownerId, query))
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
