import type { Db, Row } from '#platform/server/db/tables.ts'

/** Inserts a row with a new id, as sketch indexes read only ids above the last one they know. */
export async function saveSketch(
  db: Db,
  kind: Row<'sketches'>['kind'],
  { id, owner_id }: Pick<Row<'media'>, 'id' | 'owner_id'>,
  bits: Uint8Array,
) {
  await deleteSketch(db, kind, id)
  await db
    .insertInto('sketches')
    .values({ kind, media_id: id, owner_id, bits: Buffer.from(bits) })
    .execute()
}

export async function deleteSketch(db: Db, kind: Row<'sketches'>['kind'], mediaId: number) {
  await db.deleteFrom('sketches').where('media_id', '=', mediaId).where('kind', '=', kind).execute()
}
