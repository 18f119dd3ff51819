import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { postgresSearch } from './postgres-search.ts'
import type { SearchIndex } from './search-index.ts'
import { sqliteSearch } from './sqlite-search.ts'

export const searchIndexOf = (db: Db): SearchIndex =>
  dialectOf(db).choose({ sqlite: sqliteSearch, postgres: postgresSearch })
