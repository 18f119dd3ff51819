import { sql } from 'kysely'
import { prepareListQuery, prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'

/**
 * [Note: Bytes are claimed before they are kept]
 * The janitor removes a row and its bytes in one transaction. Whoever brings the same bytes makes the row young first: then
 * the janitor lets them be, or this waits until they are gone, and they are stored anew. A bucket finds no other way to
 * tell the two apart, since it removes whatever is there at that moment. Says whether what is there was found damaged.
 */
export async function claimBlob(db: Db, sha256: string) {
  const claim = db.updateTable('blobs').set({ created_at: Date.now() }).where('sha256', '=', sha256).returning('state')
  return { isDoubted: ((await claim.executeTakeFirst())?.state ?? 'ok') !== 'ok' }
}

export async function insertBlob(db: Db, sha256: string, bytes: number) {
  await db
    .insertInto('blobs')
    .values({ sha256, bytes, created_at: Date.now() })
    // Seen again: the janitor's hour begins anew, so it cannot take away what is just being used.
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at: Date.now(), state: 'ok' }))
    .execute()
  await noteHere(db, sha256)
}

/** What may have been at ImageKit only was brought again: it is read again as all that is here. */
export async function noteHere(db: Db, sha256: string) {
  await db
    .updateTable('imagekit_objects')
    .set({ is_only: 0 })
    .where('kind', '=', 'original')
    .where('blob', '=', sha256)
    .where('state', '!=', 'leaving')
    .where('is_only', '=', 1)
    .execute()
}

/** What a look at a file found; says whether that was written down. */
export async function recordState(
  db: Db,
  { sha256, created_at }: Pick<Row<'blobs'>, 'sha256' | 'created_at'>,
  found: Pick<Row<'blobs'>, 'state' | 'checked_at'>,
) {
  const { numUpdatedRows } = await db
    .updateTable('blobs')
    .set(found)
    .where('sha256', '=', sha256)
    // Whoever has brought the bytes again has made it young: then nothing is said about what was there before.
    .where('created_at', '=', created_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const isLost = sql<boolean>`state <> 'ok'`
const findAnyLost = prepareQuery((db) => db.selectFrom('blobs').select('sha256').where(isLost).limit(sql.lit(1)))
const listLostAmong = prepareListQuery((db, blobs: string[]) =>
  db.selectFrom('blobs').select(['sha256', 'state']).where('sha256', 'in', blobs).where(isLost),
)

/** Files that were found damaged, or were not found. As a rule there are none, which is cheaper to ask than for each of them. */
export async function listLost(db: Db, blobs: string[]) {
  return (await findAnyLost(db)) ? listLostAmong(db, blobs) : []
}
