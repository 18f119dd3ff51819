import type { Kysely } from 'kysely'
import type { CollectionRow } from '#features/collections/server/store.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { holdMedia } from '#features/media/server/store.ts'
import { notFound } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { insertChange, insertChangedItems, loadOwnedChange } from './history-store.ts'

const batch = 500

/** The moves themselves were one call per item; this makes them one entry of the history. Only true members count. */
export async function recordMove(db: Kysely<Tables>, collection: Owned<CollectionRow>, mediaIds: number[]) {
  return db.transaction().execute(async (transaction) => {
    // Each once, and still there when it is recorded; see [Note: Items are held first].
    const held = await holdMedia(transaction, [...new Set(mediaIds)])
    const title = `Added to "${collection.name}"`
    const change = await insertChange(transaction, { ownerId: collection.owner_id, kind: 'membership', title })
    for (const part of chunksOf(held, batch)) {
      const members = await transaction
        .selectFrom('collection_media')
        .select('media_id')
        .where('collection_id', '=', collection.id)
        .where('media_id', 'in', part)
        .execute()
      const items = members.map(({ media_id }) => ({ mediaId: media_id, before: null, after: String(collection.id) }))
      await insertChangedItems(transaction, change.id, items)
    }
    const recorded = await loadOwnedChange(transaction, collection.owner_id, change.id)
    if (recorded.item_count === 0) throw notFound('Media')
    return recorded
  })
}
