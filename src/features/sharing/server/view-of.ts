import type { CollectionRow } from '#features/collections/server/store.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { type CollectionView, tilesPerPage } from './pages/collection-page.ts'
import { addTags, findCover, findOwnerName, listVisibleMembers } from './store.ts'
import { collectionPath, toPublicCollection, toPublicMedia } from './to-public.ts'

type Part = { origin: string; page: number; limit?: number }

/** One document's worth of a collection, as its visitors see it. */
export async function viewOf(db: Db, row: CollectionRow, { origin, page, limit = tilesPerPage }: Part) {
  const sharing = { origin: '', allowsDownload: row.allows_download === 1 }
  const members = await listVisibleMembers(db, row.id, { limit, offset: (page - 1) * limit })
  const cover = await findCover(db, row)
  const view: CollectionView = {
    collection: toPublicCollection(row, { origin, filesAt: '', ownerName: await findOwnerName(db, row.owner_id) }),
    media: members.map((member) => toPublicMedia(member, sharing)),
    cover: cover && toPublicMedia((await addTags(db, [cover]))[0]!, sharing),
    page,
    origin,
    path: collectionPath(row.public_slug ?? ''),
  }
  return view
}
