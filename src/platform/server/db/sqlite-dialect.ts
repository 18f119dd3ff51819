import { sql } from 'kysely'
import type { SqlDialect } from './sql-dialect.ts'
import { sqliteSearch } from './sqlite-search.ts'

const constraintUnique = 2067
const constraintPrimaryKey = 1555

export const sqliteDialect: SqlDialect = {
  search: sqliteSearch,
  // One writer at a time: there is nobody to pass over.
  lockFreeRows: (query) => query,
  holdRows: (query) => query,
  holdTogether: async () => {},
  holdAlone: async () => {},
  countProcesses: async () => 1,
  now: () => sql`${Date.now()}`,
  holdTables: async () => {},
  isUniqueViolation: (error) => {
    const code = (error as { errcode?: number }).errcode
    return code === constraintUnique || code === constraintPrimaryKey
  },
  isDeadlock: () => false,
  // AUTOINCREMENT looks at the rows itself.
  continueIds: async () => {},
}
