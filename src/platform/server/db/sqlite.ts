import { EventEmitter } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect, sql } from 'kysely'
import type { Database, Snapshot } from './database.ts'
import type { MigrationTarget } from './migrate.ts'
import { createReaderDialect } from './sqlite-readers.ts'
import { asKyselyDatabase } from './sqlite-statements.ts'
import { openWriter } from './sqlite-writer.ts'
import type { Tables } from './tables.ts'

/**
 * One connection writes, in the server's own thread: a point write costs less than a hop to another thread.
 * `synchronous = FULL` because what was acknowledged must survive a power cut.
 */
export function openSqlite(path: string): Database {
  makePrivateFile(path)
  const connection = new DatabaseSync(path, { timeout: 10_000, enableForeignKeyConstraints: true })
  switchToWriteAheadLog(connection)
  connection.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -32000;
    PRAGMA temp_store = MEMORY;
    PRAGMA mmap_size = 268435456;
  `)
  const slowReads = new Kysely<Tables>({ dialect: createReaderDialect(path) })
  const db = openWriter(connection, slowReads)
  const emitter = new EventEmitter().setMaxListeners(0)
  return {
    db,
    slowReads,
    migrations: migrationTarget(connection),
    notifications: {
      async publish(channel, payload) {
        // There is one connection, so a listener's first query waits for the end of the transaction that published.
        setImmediate(() => emitter.emit(channel, payload))
      },
      subscribe(channel, listener) {
        emitter.on(channel, listener)
        return () => emitter.off(channel, listener)
      },
    },
    openSnapshot: () => openSnapshot(path),
    readVersion: versionReader(connection),
    async close() {
      await slowReads.destroy()
      truncateLog(connection)
      await db.destroy()
    },
  }
}

/** SQLite would create a file that all users of the machine can read. Its log takes on the mode of its file. */
function makePrivateFile(path: string) {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Leaves one file instead of three, so that users can copy it. Otherwise the log is read at the next start. */
function truncateLog(connection: DatabaseSync) {
  // The owner of an open transaction gets an error when the connection closes.
  if (connection.isTransaction) return
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // On a full disk the log cannot be written back; it stays for the next start.
  }
}

/** `total_changes` counts this connection's writes; `data_version` changes when another connection writes. */
function versionReader(connection: DatabaseSync) {
  const own = connection.prepare('SELECT total_changes() AS changes')
  const others = connection.prepare('PRAGMA data_version')
  return () => {
    if (connection.isTransaction) return undefined
    return `${own.get()!.changes} ${others.get()!.data_version}`
  }
}

const sqliteBusy = 5
const pauseMs = 50
const timeoutMs = 10_000

/** Retries while another starting process does the same, since SQLite's own timeout does not apply to this statement. */
function switchToWriteAheadLog(connection: DatabaseSync) {
  for (const until = Date.now() + timeoutMs; ; ) {
    try {
      return connection.exec('PRAGMA journal_mode = WAL')
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy || Date.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}

/** A connection of its own; WAL keeps what it sees, and no writer waits for it. */
async function openSnapshot(path: string): Promise<Snapshot> {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(connection) }) })
  connection.exec('BEGIN')
  // SQLite takes the snapshot at the first read.
  await sql`SELECT version FROM schema_version`.execute(db)
  return { db, [Symbol.asyncDispose]: () => db.destroy() }
}

function migrationTarget(connection: DatabaseSync): MigrationTarget {
  return {
    dialect: 'sqlite',
    types: { ID: 'INTEGER PRIMARY KEY AUTOINCREMENT', TIME: 'INTEGER', LONG: 'INTEGER', DOUBLE: 'REAL', BYTES: 'BLOB' },
    async underLock(change) {
      connection.exec('BEGIN IMMEDIATE')
      try {
        connection.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
        connection.exec('INSERT INTO schema_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM schema_version)')
        const { version } = connection.prepare('SELECT version FROM schema_version').get() as { version: number }
        await change({ version, exec: async (sql) => connection.exec(asStrict(sql)) })
        connection.exec('COMMIT')
      } catch (error) {
        if (connection.isTransaction) connection.exec('ROLLBACK')
        throw error
      }
    },
  }
}

/** SQLite enforces the declared types only in STRICT tables. */
function asStrict(sql: string) {
  return sql.replace(/(CREATE TABLE [^;]*?\n\));/g, '$1 STRICT;')
}
