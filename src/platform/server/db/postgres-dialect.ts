import { postgresSearch } from './postgres-search.ts'
import type { SqlDialect } from './sql-dialect.ts'

export const postgresDialect: SqlDialect = {
  search: postgresSearch,
  lockFreeRows: (query) => query.forUpdate().skipLocked(),
  isUniqueViolation: (error) => (error as { code?: string }).code === '23505',
}
