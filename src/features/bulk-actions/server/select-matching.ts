import { loadOwnedCollection } from '#features/collections/server/store.ts'
import { maxItemsAtOnce } from '#features/media/contract.ts'
import { findMatches } from '#features/media/server/listing/search.ts'
import { searchWords } from '#features/media/server/listing/search-documents.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db } from '#platform/server/db/tables.ts'

type Filter = {
  search?: string
  collectionId?: number
  type?: 'image' | 'video'
  favorite?: boolean
  trashed?: boolean
}

/** "All N that match", beyond the page: newest first, as many as a bulk call takes. */
export async function listMatchingIds(slowReads: Db, ownerId: number, filter: Filter) {
  if (filter.collectionId) await loadOwnedCollection(slowReads, ownerId, filter.collectionId)
  const words = searchWords(filter.search ?? '')
  if (words.length > 0) {
    const wanted = { ...filter, sort: 'recent' as const, page: 1, limit: maxItemsAtOnce }
    const { ids } = await findMatches(slowReads, ownerId, words, wanted)
    return ids
  }
  let rows = slowReads
    .selectFrom('media')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', filter.trashed ? 1 : 0)
  if (filter.type) rows = rows.where('type', '=', filter.type)
  if (filter.favorite) rows = rows.where('is_favorite', '=', 1)
  if (filter.collectionId) {
    const { collectionId } = filter
    rows = rows.where('id', 'in', (members) =>
      members.selectFrom('collection_media').select('media_id').where('collection_id', '=', collectionId),
    )
  }
  const found = await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(maxItemsAtOnce).execute()
  return found.map(({ id }) => id)
}

/** As many as a bulk call takes, newest first; which of them are one upload session is the page's rule. */
export async function listRecentUploads(slowReads: Db, ownerId: number, filter: Filter) {
  const uploads: { id: number; createdAt: string }[] = []
  for (const part of partsToAsk(await listMatchingIds(slowReads, ownerId, filter))) {
    const rows = slowReads.selectFrom('media').select(['id', 'created_at']).where('id', 'in', part)
    for (const { id, created_at } of await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').execute())
      uploads.push({ id, createdAt: new Date(created_at).toISOString() })
  }
  return uploads
}
