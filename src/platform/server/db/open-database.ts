import type { Config } from '../config.ts'
import type { Database } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export const sqliteFile = ({ dataDir }: Pick<Config, 'dataDir'>) => `${dataDir}/albumen.db`

/** The one that the settings name. On SQLite it is made when it is not there. */
export async function openDatabase(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<Database> {
  return config.databaseUrl ? openPostgres(config.databaseUrl) : openSqlite(sqliteFile(config))
}
