import { Exif } from '#features/media/contract.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Ai } from './ai.ts'

/** What the camera wrote with the nearest town's name, for the owner's panel and search; undefined when that is not new. */
export async function exifWithPlace(db: Db, { local }: Ai, mediaId: number): Promise<string | undefined> {
  const row = await db.selectFrom('media').select('exif').where('id', '=', mediaId).executeTakeFirst()
  const exif = row?.exif ? Exif.partial().parse(JSON.parse(row.exif)) : {}
  const { latitude, longitude, place: known } = exif
  if (known || latitude === undefined || longitude === undefined) return undefined
  // A place is a help, not a need.
  const place = await local?.findPlace({ latitude, longitude }).catch(() => null)
  return place ? JSON.stringify({ ...exif, place }) : undefined
}
