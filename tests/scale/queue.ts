import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import { openPostgres } from '#platform/server/db/postgres.ts'
import { createJobs } from '#platform/server/jobs/jobs.ts'
import { processCount } from './cluster.ts'
import { counted, type Row } from './row.ts'

const total = 3000
const concurrency = 8
const kind = 'do-nothing'

/** The cost of the queue itself: jobs that do nothing, taken by three queues with their own connections. */
export const queue: Row = async ({ databaseUrl, query }) => {
  const databases = await Promise.all(Array.from({ length: processCount }, () => openPostgres(databaseUrl)))
  const log = pino({ level: 'silent' })
  const queues = databases.map(({ db, notifications }) => createJobs({ db, notifications, log, isOnlyProcess: false }))
  const runs = queues.map(() => 0)
  try {
    for (const [index, jobs] of queues.entries())
      jobs.work(kind, { concurrency }, async () => {
        runs[index]!++
      })
    await query(
      `INSERT INTO jobs (kind, payload, status, run_at, created_at, updated_at)
      SELECT $1, '{}', 'waiting', 0, 0, 0 FROM generate_series(1, $2)`,
      [kind, total],
    )
    const begin = performance.now()
    for (const jobs of queues) await jobs.start()
    while ((await query('SELECT 1 FROM jobs WHERE kind = $1 LIMIT 1', [kind])).length > 0) await delay(20)
    const seconds = (performance.now() - begin) / 1000
    const done = runs.reduce((sum, count) => sum + count, 0)
    return [
      counted('the queue alone: jobs that do nothing, taken by three', {
        figure: `${(total / seconds).toFixed(0)} a second; ${done} runs of ${total} (${runs.join(' + ')})`,
        toReach: 'each once',
        isReached: done === total,
      }),
    ]
  } finally {
    for (const jobs of queues) await jobs.stop(0)
    for (const database of databases) await database.close()
  }
}
