import type { Config } from '../config.ts'
import type { Database } from './database.ts'
import { openSqlite } from './sqlite.ts'

export const sqliteFile = ({ dataDir }: Pick<Config, 'dataDir'>) => `${dataDir}/albumen.db`

/** The one that the settings name. On SQLite it is made when it is not there. */
export async function openDatabase(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<Database> {
  if (!config.databaseUrl) return openSqlite(sqliteFile(config))
  // Most starts have no use for its driver.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(config.databaseUrl)
}
