import type { SelectQueryBuilder } from 'kysely'

export type SqlDialect = {
  /** Takes rows for changing and passes over those that another process holds. */
  lockFreeRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  isUniqueViolation(error: unknown): boolean
}
