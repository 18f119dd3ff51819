import { type Kysely, PostgresAdapter, type Transaction } from 'kysely'
import { postgresDialect } from './postgres-dialect.ts'
import type { SqlDialect } from './sql-dialect.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

/** [Note: What differs between the databases] lives behind these named functions; no store asks which one it is on. */
export function dialectOf<T>(db: Kysely<T> | Transaction<T>): SqlDialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgresDialect : sqliteDialect
}
