import pino from 'pino'
import { loadConfig } from '../config.ts'
import { openPostgres } from '../db/postgres.ts'
import { openSqlite } from '../db/sqlite.ts'
import { createJobs } from './jobs.ts'
import { usualPolicy } from './policy.ts'

// A process with a queue: it tells its parent of the job it begins, then hangs in the middle of it or finishes it.
const { databaseUrl, dataDir } = loadConfig()
const { db, notifications, close } = databaseUrl ? await openPostgres(databaseUrl) : openSqlite(`${dataDir}/albumen.db`)
const policy = { ...usualPolicy, leaseMs: 500, pollMs: 50 }
const log = pino({ level: 'silent' })
const jobs = createJobs({ db, notifications, log, isOnlyProcess: !databaseUrl, policy })
const done = Promise.withResolvers<void>()

jobs.work('survive', { concurrency: 1 }, async (payload, { attempt }) => {
  await new Promise((resolve) => process.send?.({ begun: payload, attempt }, resolve))
  if (process.argv[2] === 'hang') await new Promise(() => {})
  done.resolve()
})
await jobs.start()
await done.promise
await jobs.stop()
await close()
process.disconnect()
