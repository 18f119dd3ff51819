import { type Kysely, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { Db, Tables } from './tables.ts'

type SqlDialect = {
  /** Locks rows until the transaction ends, skipping those that another process has locked. */
  lockFreeRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Locks rows until the transaction ends, after waiting for others that have locked them. */
  lockRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Until the transaction ends no other process can write to these tables; reading them still works. */
  lockTables(db: Db, tables: (keyof Tables)[]): Promise<void>
  /** Until the transaction ends: many can hold a shared lock, or one the exclusive lock. */
  lockShared(db: Db, name: LockName): Promise<void>
  lockExclusively(db: Db, name: LockName): Promise<void>
  /** The number of processes that listen for notifications on this database, including this one. */
  countProcesses(db: Db): Promise<number>
  /** Milliseconds on the database's clock, since the clocks of the processes may differ. */
  now(): RawBuilder<number>
  isUniqueViolation(error: unknown): boolean
  /** The transaction was aborted because of a deadlock and can be tried again. */
  isDeadlock(error: unknown): boolean
  /** After rows were inserted with explicit ids: the next new row gets a higher id than all of them. */
  resetIdSequence(db: Db, table: string): Promise<void>
  /** For a feature that has SQL of its own for each database. */
  choose<T>(variants: { sqlite: T; postgres: T }): T
}

type LockName = 'library' | 'backups' | 'imagekit'

/** [Note: What differs between the databases] is behind these functions; a store does not ask which database it uses. */
export function dialectOf<T>(db: Kysely<T> | Transaction<T>): SqlDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgresDialect : sqliteDialect
}

const constraintUnique = 2067
const constraintPrimaryKey = 1555

export const sqliteDialect: SqlDialect = {
  // SQLite has one writer at a time, so nothing needs a lock.
  lockFreeRows: (query) => query,
  lockRows: (query) => query,
  lockTables: async () => {},
  lockShared: async () => {},
  lockExclusively: async () => {},
  countProcesses: async () => 1,
  now: () => sql`${Date.now()}`,
  isUniqueViolation: (error) => {
    const code = (error as { errcode?: number }).errcode
    return code === constraintUnique || code === constraintPrimaryKey
  },
  isDeadlock: () => false,
  // AUTOINCREMENT takes explicit ids into account.
  resetIdSequence: async () => {},
  choose: ({ sqlite }) => sqlite,
}

/** Arbitrary numbers, the same in every Albumen process. */
const advisoryLocks: Record<LockName, number> = { library: 4_221_003, backups: 4_221_004, imagekit: 4_221_005 }

/** Each process has one connection of this name. */
export const listenerName = 'albumen-listener'

const codeOf = (error: unknown) => (error as { code?: string }).code

export const postgresDialect: SqlDialect = {
  lockFreeRows: (query) => query.forUpdate().skipLocked(),
  lockRows: (query) => query.forNoKeyUpdate(),
  async lockTables(db, tables) {
    await sql`LOCK TABLE ${sql.join(tables.map((name) => sql.table(name)))} IN EXCLUSIVE MODE`.execute(db)
  },
  async lockShared(db, name) {
    await sql`SELECT pg_advisory_xact_lock_shared(${advisoryLocks[name]})`.execute(db)
  },
  async lockExclusively(db, name) {
    await sql`SELECT pg_advisory_xact_lock(${advisoryLocks[name]})`.execute(db)
  },
  async countProcesses(db) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ${listenerName}
    `.execute(db)
    return rows[0]!.count
  },
  now: () => sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  isUniqueViolation: (error) => codeOf(error) === '23505',
  isDeadlock: (error) => codeOf(error) === '40P01',
  async resetIdSequence(db, table) {
    const sequence = sql`pg_get_serial_sequence(${table}, 'id')`
    await sql`SELECT setval(${sequence}, GREATEST((SELECT max(id) FROM ${sql.table(table)}), nextval(${sequence})))`.execute(
      db,
    )
  },
  choose: ({ postgres }) => postgres,
}
