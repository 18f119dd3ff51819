import { loadConfig } from '../config.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

// A process that starts on a database, as several may at the same moment; it waits for the word so that they do.
const { databaseUrl, dataDir } = loadConfig()
await new Promise((resolve) => {
  process.once('message', resolve)
  process.send?.('ready')
})
const database = databaseUrl ? await openPostgres(databaseUrl) : openSqlite(`${dataDir}/albumen.db`)
await migrate(database.migrations)
await database.close()
process.disconnect()
