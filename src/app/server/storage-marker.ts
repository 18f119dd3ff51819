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
 * An unmounted disk must never pass for an empty library, nor an empty database for the owner of somebody's files, all of
 * which the janitor would take for strays: database and storage carry the same id, or the start stops. Several processes may
 * start for the first time at once: the row decides whose id it is, and all of them write that one. `otherDatabase` is the
 * file of a library that was on SQLite here, while the database is another one.
 */
export async function matchStorage(db: Kysely<Tables>, storage: Storage, otherDatabase?: string) {
  const known = await loadSetting(db, name)
  const found = await storage.marker.read()
  if (known !== undefined && known === found) return
  if (known !== undefined && found !== null) throw new ForeignStorageError(notOfThisDatabase)
  if (await hasMedia(db)) throw new ForeignStorageError(found === null ? notThere : notOfThisDatabase)
  if (!(await isEmpty(storage))) throw new ForeignStorageError(filesOfAnother)
  if (known === undefined && otherDatabase && existsSync(otherDatabase)) throw new ForeignStorageError(libraryOnSqlite)
  // Both are new, or the row or the mark did not come to be written: there is nothing to mix up.
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
