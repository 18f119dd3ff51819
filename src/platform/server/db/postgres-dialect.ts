import { sql } from 'kysely'
import { postgresSearch } from './postgres-search.ts'
import type { HeldName, SqlDialect } from './sql-dialect.ts'

/** Any numbers will do, as long as every Albumen process takes the same ones. */
const heldNames: Record<HeldName, number> = { library: 4_221_003, backups: 4_221_004 }

/** By which the processes of a library are counted: each has one connection of this name. */
export const listenerName = 'albumen-listener'

const codeOf = (error: unknown) => (error as { code?: string }).code

export const postgresDialect: SqlDialect = {
  search: postgresSearch,
  lockFreeRows: (query) => query.forUpdate().skipLocked(),
  holdRows: (query) => query.forNoKeyUpdate(),
  async holdTogether(db, name) {
    await sql`SELECT pg_advisory_xact_lock_shared(${heldNames[name]})`.execute(db)
  },
  async holdAlone(db, name) {
    await sql`SELECT pg_advisory_xact_lock(${heldNames[name]})`.execute(db)
  },
  async countProcesses(db) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ${listenerName}
    `.execute(db)
    return rows[0]!.count
  },
  now: () => sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  async holdTables(db, tables) {
    await sql`LOCK TABLE ${sql.join(tables.map((name) => sql.table(name)))} IN EXCLUSIVE MODE`.execute(db)
  },
  isUniqueViolation: (error) => codeOf(error) === '23505',
  isDeadlock: (error) => codeOf(error) === '40P01',
  async continueIds(db, table) {
    const sequence = sql`pg_get_serial_sequence(${table}, 'id')`
    await sql`SELECT setval(${sequence}, GREATEST((SELECT max(id) FROM ${sql.table(table)}), nextval(${sequence})))`.execute(
      db,
    )
  },
}
