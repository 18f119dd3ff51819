import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import type { Tables } from '#platform/server/db/tables.ts'

export class ForeignStorageError extends Error {
  override name = 'ForeignStorageError'
}

const name = 'library-id'

/**
 * An unmounted disk must never pass for an empty library: database and storage carry the same id, or the start stops. Several
 * processes may start for the first time at once: the row decides whose id it is, and all of them write that one.
 */
export async function matchStorage(db: Kysely<Tables>, storage: Storage) {
  const known = await loadId(db)
  const found = await storage.marker.read()
  if (known !== undefined && known === found) return
  if (known === undefined && found === null) return storage.marker.write(await claimId(db, randomUUID()))
  const hasMedia = await db.selectFrom('media').select('id').limit(1).executeTakeFirst()
  // An empty library whose row, or whose mark, did not come to be written: there is nothing to mix up.
  if (!hasMedia && known !== undefined && found === null) return storage.marker.write(known)
  if (!hasMedia && known === undefined && (await claimId(db, found!)) === found) return
  throw new ForeignStorageError(
    found === null
      ? 'The storage is empty, but the database knows files: is the disk of DATA_DIR mounted, is S3_BUCKET right?'
      : 'The storage belongs to another database: DATA_DIR (or S3_BUCKET) and DATABASE_URL do not fit together',
  )
}

async function loadId(db: Kysely<Tables>) {
  return (await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value
}

/** Whoever comes first gives the id; the others are told it. */
async function claimId(db: Kysely<Tables>, id: string) {
  await db
    .insertInto('settings')
    .values({ name, value: id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await loadId(db))!
}
