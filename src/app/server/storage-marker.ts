import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Storage } from '#engines/storage/storage.ts'
import { claimSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Tables } from '#platform/server/db/tables.ts'

export class ForeignStorageError extends Error {
  override name = 'ForeignStorageError'
}

const name = 'library-id'

/**
 * Database and storage carry the same id, or the server refuses to start. Otherwise an unmounted disk would look like an
 * empty library, or an empty database would own files of another library, which the janitor would delete as orphans.
 * `otherDatabase` is the SQLite file of an earlier library in DATA_DIR while another database is configured.
 */
export async function matchStorage(db: Kysely<Tables>, storage: Storage, otherDatabase?: string) {
  const known = await loadSetting(db, name)
  const found = await storage.marker.read()
  if (known !== undefined && known === found) return
  if (known !== undefined && found !== null) throw new ForeignStorageError(notOfThisDatabase)
  if (await hasMedia(db)) throw new ForeignStorageError(found === null ? notThere : notOfThisDatabase)
  if (!(await isEmpty(storage))) throw new ForeignStorageError(filesOfAnother)
  if (known === undefined && otherDatabase && existsSync(otherDatabase)) throw new ForeignStorageError(libraryOnSqlite)
  // Both are empty, or an earlier start was interrupted. When several processes start at once, the row decides the id.
  const id = await claimSetting(db, name, known ?? found ?? randomUUID())
  if (found === null) return storage.marker.write(id)
  if (id !== found) throw new ForeignStorageError(notOfThisDatabase)
}

const theWayOut = 'Nothing was changed. See docs/moving.md for how to move or recover a library'
const notThere =
  'The storage is empty, but the database lists files. Check that the disk of DATA_DIR is mounted and S3_BUCKET is correct'
const notOfThisDatabase =
  'The storage belongs to another database: DATA_DIR (or S3_BUCKET) and DATABASE_URL do not match'
const filesOfAnother =
  'The storage holds files, but the database is new. Check that DATABASE_URL is unchanged or, without it, that albumen.db is in DATA_DIR. ' +
  theWayOut
const libraryOnSqlite =
  'DATA_DIR holds a SQLite library (albumen.db), but the database in DATABASE_URL is new. A new library needs a new DATA_DIR. ' +
  theWayOut

async function hasMedia(db: Kysely<Tables>) {
  return (await db.selectFrom('media').select('id').limit(1).executeTakeFirst()) !== undefined
}

async function isEmpty(storage: Storage) {
  for await (const _file of storage.list()) return false
  return true
}
