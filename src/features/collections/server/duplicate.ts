import type { Kysely } from 'kysely'
import { holdUser } from '#features/auth/server/store.ts'
import { itemsOf } from '#features/media/server/listing/collection-items.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import { insertCopies } from '#features/media/server/media.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { lockMedia } from '#features/media/server/store.ts'
import { websiteOfCompany } from '#features/websites/server/company.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { CollectionDraft } from '../contract.ts'
import { lookOfCopy } from './look.ts'
import { type CollectionRow, insertCollection, insertMemberships, updateCollection } from './store.ts'

/** Items per statement. The one transaction around them blocks every other writer, so it must be short. */
const batch = 200

/** For another website: copies that can be renamed and described separately and share their bytes. Of a smart one, its query. */
export async function duplicateCollection(
  db: Kysely<Tables>,
  collection: Owned<CollectionRow>,
  draft: CollectionDraft,
) {
  const look = await lookOfCopy(db, collection, draft.company)
  return db.transaction().execute(async (transaction) => {
    const { query } = collection
    const members = query === null ? await holdMembers(transaction, collection) : []
    await holdUser(transaction, collection.owner_id)
    const website_id = await websiteOfCompany(transaction, collection.owner_id, draft.company)
    const created = await insertCollection(
      transaction,
      collection.owner_id,
      { ...draft, query },
      { website_id, ...look },
    )
    const copies: number[] = []
    for (const part of chunksOf(members, batch)) {
      const media = await insertCopies(transaction, part)
      await insertMemberships(transaction, created.id, { media, after: copies.length })
      copies.push(...media.map(({ id }) => id))
    }
    await indexMedia(transaction, copies)
    const cover = members.findIndex(({ id }) => id === collection.cover_media_id)
    const cover_media_id = query === null ? (copies[cover] ?? null) : collection.cover_media_id
    const row = await updateCollection(transaction, created.id, { cover_media_id })
    return { row, copiedMedia: copies.length }
  })
}

/** Read under lock; items added meanwhile are not included. See [Note: Items are locked first]. */
async function holdMembers(db: Db, collection: Owned<CollectionRow>) {
  const members = (await itemsOf(db, collection)).inOrder().where('media.owner_id', '=', collection.owner_id)
  const ids = (await members.select('media.id').execute()).map((member) => member.id)
  const held = new Set(await lockMedia(db, ids))
  const rows = await members.selectAll('media').execute()
  return rows.filter((row) => held.has(row.id))
}
