import type { Kysely } from 'kysely'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { copyMedia } from '#features/media/server/media.ts'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { CollectionDraft } from '../contract.ts'
import { type CollectionRow, insertCollection, insertMembership, membersInOrder, updateCollection } from './store.ts'

/** For another website: the same pictures as items of their own that can be renamed and described anew; bytes are shared. */
export async function duplicateCollection(
  db: Kysely<Tables>,
  collection: Owned<CollectionRow>,
  draft: CollectionDraft,
  quotaBytes: number,
) {
  return db.transaction().execute(async (transaction) => {
    const created = await insertCollection(transaction, collection.owner_id, draft)
    const members = await membersInOrder(transaction, collection.id)
      .selectAll('media')
      .where('media.owner_id', '=', collection.owner_id)
      .execute()
    const copies: number[] = []
    for (const media of members) {
      const copy = await copyMedia(transaction, asOwned(media), { filename: media.filename, quotaBytes })
      await insertMembership(transaction, created.id, copy)
      copies.push(copy.id)
    }
    await indexMedia(transaction, copies)
    const row = await updateCollection(transaction, created.id, { branding: collection.branding })
    return { row, copiedMedia: copies.length }
  })
}
