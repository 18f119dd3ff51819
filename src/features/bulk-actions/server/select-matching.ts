import type { Kysely } from 'kysely'
import type { MediaQuery } from '#features/media/contract.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { type ListFilter, listedMedia } from '#features/media/server/listing/list-queries.ts'
import { findMatches } from '#features/media/server/listing/search.ts'
import { readList } from '#features/media/server/listing/search-terms.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Tables } from '#platform/server/db/tables.ts'

type Filter = ListFilter & Pick<MediaQuery, 'search'>

/** The ids of all matching items beyond the page: newest first, as many as a bulk call accepts. */
export async function listMatchingIds(slowReads: Kysely<Tables>, ownerId: number, filter: Filter) {
  const search = await readList(slowReads, ownerId, filter)
  if (search) {
    const wanted = { ...filter, sort: 'recent' as const, page: 1, limit: maxItemsAtOnce }
    const { ids } = await findMatches(slowReads, ownerId, search.terms, wanted)
    return ids
  }
  const found = await listedMedia(slowReads, ownerId, filter)
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxItemsAtOnce)
    .execute()
  return found.map(({ id }) => id)
}

/** Newest first, as many as a bulk call accepts. The client decides which of them form an upload session. */
export async function listRecentUploads(slowReads: Kysely<Tables>, ownerId: number, filter: Filter) {
  const uploads: { id: number; createdAt: string }[] = []
  for (const part of partsToAsk(await listMatchingIds(slowReads, ownerId, filter))) {
    const rows = slowReads.selectFrom('media').select(['id', 'created_at']).where('id', 'in', part)
    for (const { id, created_at } of await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').execute())
      uploads.push({ id, createdAt: new Date(created_at).toISOString() })
  }
  return uploads
}
