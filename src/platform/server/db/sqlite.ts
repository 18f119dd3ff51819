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
        // A listener's first query waits until the transaction that spoke has ended: there is one connection.
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
      emptyLog(connection)
      await db.destroy()
    },
  }
}

/** SQLite would let everybody on the machine read what it makes. Its log takes over the rights of its file. */
function makePrivateFile(path: string) {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Leaves one file behind instead of three, which is what people copy; otherwise the log is read at the next start. */
function emptyLog(connection: DatabaseSync) {
  // Who is still in the middle of a transaction is told by the connection's end.
  if (connection.isTransaction) return
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // A full disk has no room for what is in the log.
  }
}

/** What this connection wrote is counted by itself; what others wrote shows in `data_version`. */
function versionReader(connection: DatabaseSync) {
  const own = connection.prepare('SELECT total_changes() AS changes')
  const others = connection.prepare('PRAGMA data_version')
  return () => {
    if (connection.isTransaction) return undefined
    return `${own.get()!.changes} ${others.get()!.data_version}`
  }
}

const busy = 5
const pauseMs = 50
const patienceMs = 10_000

/** Another process that starts at the same moment may be at it; SQLite waits for it in every other case, but not in this. */
function switchToWriteAheadLog(connection: DatabaseSync) {
  for (const until = Date.now() + patienceMs; ; ) {
    try {
      return connection.exec('PRAGMA journal_mode = WAL')
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || Date.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}

/** A connection of its own; WAL keeps what it sees, and no writer waits for it. */
async function openSnapshot(path: string): Promise<Snapshot> {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(connection) }) })
  connection.exec('BEGIN')
  // The moment is the one of the first read.
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

/** SQLite keeps to the declared types only when asked. */
function asStrict(sql: string) {
  return sql.replace(/(CREATE TABLE [^;]*?\n\));/g, '$1 STRICT;')
}
