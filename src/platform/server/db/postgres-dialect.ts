import { sql } from 'kysely'
import { postgresSearch } from './postgres-search.ts'
import type { SqlDialect } from './sql-dialect.ts'

export const postgresDialect: SqlDialect = {
  search: postgresSearch,
  lockFreeRows: (query) => query.forUpdate().skipLocked(),
  holdRows: (query) => query.forNoKeyUpdate(),
  isUniqueViolation: (error) => (error as { code?: string }).code === '23505',
  async continueIds(db, table) {
    const sequence = sql`pg_get_serial_sequence(${table}, 'id')`
    await sql`SELECT setval(${sequence}, GREATEST((SELECT max(id) FROM ${sql.table(table)}), nextval(${sequence})))`.execute(
      db,
    )
  },
}
