import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { asKyselyDatabase } from './sqlite-statements.ts'

const { path } = workerData as { path: string }
const connection = new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
// As the writer does: what is read here is long, and would otherwise be copied page by page.
connection.exec('PRAGMA mmap_size = 268435456')
// SQLite's own knows the letters of English only, PostgreSQL's all.
connection.function('lower', { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text))
const database = asKyselyDatabase(connection)

parentPort!.on('message', ({ sql, parameters }: { sql: string; parameters: unknown[] }) => {
  try {
    parentPort!.postMessage({ rows: database.prepare(sql).all(parameters) })
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
})
