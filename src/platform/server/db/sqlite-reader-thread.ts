import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { asKyselyDatabase } from './sqlite-statements.ts'

const { path } = workerData as { path: string }
const database = asKyselyDatabase(new DatabaseSync(path, { readOnly: true, timeout: 10_000 }))

parentPort!.on('message', ({ sql, parameters }: { sql: string; parameters: unknown[] }) => {
  try {
    parentPort!.postMessage({ rows: database.prepare(sql).all(parameters) })
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
})
