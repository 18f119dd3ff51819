import type { Db } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'

export type ListFilter = Pick<MediaQuery, 'collectionId' | 'type' | 'favorite' | 'trashed'>

/** What a list holds as a whole, for whoever counts or selects it; its pages are read by queries that follow an index. */
export function listedMedia(db: Db, ownerId: number, { collectionId, type, favorite, trashed }: ListFilter) {
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
  return rows
}
