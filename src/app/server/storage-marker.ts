import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import type { Tables } from '#platform/server/db/tables.ts'

export class ForeignStorageError extends Error {
  override name = 'ForeignStorageError'
}

const name = 'library-id'

/** An unmounted disk must never pass for an empty library: database and storage carry the same id, or the start stops. */
export async function matchStorage(db: Kysely<Tables>, storage: Storage) {
  const known = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  const found = await storage.marker.read()
  if (known && known.value === found) return
  if (!known && found === null) {
    const id = randomUUID()
    await storage.marker.write(id)
    await db.insertInto('settings').values({ name, value: id }).execute()
    return
  }
  const hasMedia = await db.selectFrom('media').select('id').limit(1).executeTakeFirst()
  // A crash between the two writes above, on an empty library: there is nothing to mix up.
  if (!hasMedia && !known) return void (await db.insertInto('settings').values({ name, value: found! }).execute())
  if (!hasMedia && known && found === null) return storage.marker.write(known.value)
  throw new ForeignStorageError(
    found === null
      ? 'The storage is empty, but the database knows files: is the disk of DATA_DIR mounted, is S3_BUCKET right?'
      : 'The storage belongs to another database: DATA_DIR (or S3_BUCKET) and DATABASE_URL do not fit together',
  )
}
