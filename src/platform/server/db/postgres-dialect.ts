import type { SqlDialect } from './sql-dialect.ts'

export const postgresDialect: SqlDialect = {
  lockFreeRows: (query) => query.forUpdate().skipLocked(),
  isUniqueViolation: (error) => (error as { code?: string }).code === '23505',
}
