import type { TestContext } from 'node:test'
import pino from 'pino'
import type { ChangeCheck } from '#platform/server/db/change.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { createJobs, type Jobs } from '#platform/server/jobs/jobs.ts'
import type { JobPolicy } from '#platform/server/jobs/policy.ts'
import { countJobs } from '#platform/server/jobs/store.ts'
import { testDatabase } from './test-database.ts'

/** Retries immediately and polls often. */
const quickPolicy: JobPolicy = { leaseMs: 30_000, maxAttempts: 3, pollMs: 20, backOffMs: () => 0 }

/** The queue of one process; several may share a database. */
export function testJobs(context: TestContext, { db, notifications }: Database, options: Partial<Options> = {}): Jobs {
  const { policy, isOnlyProcess = false, beginChange } = options
  const log = pino({ level: 'silent' })
  const jobs = createJobs({ db, notifications, log, isOnlyProcess, policy: { ...quickPolicy, ...policy }, beginChange })
  context.after(() => jobs.stop(0))
  return jobs
}

type Options = { policy: Partial<JobPolicy>; isOnlyProcess: boolean; beginChange: () => Promise<ChangeCheck> }

/** A database with one queue that is not started yet. */
export async function testQueue(context: TestContext, options?: Partial<Options>) {
  const database = await testDatabase(context)
  return { database, db: database.db, jobs: testJobs(context, database, options) }
}

/** The number of jobs of each kind and status, as "3 greet waiting". */
export async function countedJobs(db: Db) {
  return (await countJobs(db)).map(({ kind, status, count }) => `${count} ${kind} ${status}`)
}
