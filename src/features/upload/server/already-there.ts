import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'

/** Of the new items of one owner those whose bytes another item had before; what lies in the trash is on its way out. */
export async function listAlreadyThere(db: Db, media: Pick<MediaRow, 'id'>[]): Promise<number[]> {
  const ids = media.map(({ id }) => id)
  const rows = await db
    .selectFrom('media')
    .innerJoin('media as earlier', (join) =>
      join
        .onRef('earlier.blob', '=', 'media.blob')
        .onRef('earlier.owner_id', '=', 'media.owner_id')
        .onRef('earlier.id', '<', 'media.id')
        .on('earlier.is_trashed', '=', 0),
    )
    .select('media.id')
    .distinct()
    .where('media.id', 'in', ids)
    .orderBy('media.id')
    .execute()
  return rows.map(({ id }) => id)
}
