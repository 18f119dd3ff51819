import { firstVersionOf } from '#features/media/server/media.ts'
import type { Owned } from '#features/media/server/owned.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { maxPerGroup } from '../../contract.ts'

/** The item and the others that were derived from the same picture, the oldest first. */
export async function listPictureVersions(db: Db, media: Owned<MediaRow>) {
  const first = firstVersionOf(media)
  return db
    .selectFrom('media')
    .selectAll()
    .where('owner_id', '=', media.owner_id)
    .where('is_trashed', '=', 0)
    .where((where) => where.or([where('id', '=', first), where('derived_from', '=', first)]))
    .orderBy('id')
    .limit(maxPerGroup)
    .execute()
}

/** How many versions of its picture the library has of each item, itself included. */
export async function countPictureVersions(db: Db, rows: MediaRow[]): Promise<Map<number, number>> {
  const firsts = [...new Set(rows.map(firstVersionOf))]
  if (firsts.length === 0) return new Map()
  const versions = await db
    .selectFrom('media')
    .select(['id', 'derived_from'])
    .where('owner_id', '=', rows[0]!.owner_id)
    .where('is_trashed', '=', 0)
    .where((where) => where.or([where('id', 'in', firsts), where('derived_from', 'in', firsts)]))
    .execute()
  const byFirst = Map.groupBy(versions, firstVersionOf)
  return new Map(rows.map((row) => [row.id, byFirst.get(firstVersionOf(row))?.length ?? 1]))
}
