import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { AppError } from '#platform/errors.ts'
import type { Notifications } from '../db/database.ts'
import type { Db, Tables } from '../db/tables.ts'
import { backOffMs, leaseMs, maxAttempts } from './policy.ts'
import { claimDueSchedules, saveSchedule } from './schedule-store.ts'
import {
  completeJob,
  type Enqueued,
  extendLease,
  failJob,
  giveBack,
  insertJob,
  leaseJobs,
  releaseAllLeases,
  retryLater,
} from './store.ts'

export type Job = { id: number; attempt: number; isLastAttempt: boolean; signal: AbortSignal }
export type JobHandler<Payload> = (payload: Payload, job: Job) => Promise<void>

export type Jobs = {
  /** Give the transaction that makes the work necessary as `db`: then the work exists exactly when its reason does. */
  enqueue(db: Db, kind: string, payload: unknown, options?: Enqueued): Promise<void>
  work<Payload>(kind: string, options: { concurrency: number }, handler: JobHandler<Payload>): void
  schedule(kind: string, cron: string): Promise<void>
  start(): Promise<void>
  /** Stops taking work and waits for what runs, at most `withinMs`; what does not end is leased anew by another process. */
  stop(withinMs?: number): Promise<void>
  /** Resolves when nothing waits or runs in this process; for tests and orderly hand-overs. */
  idle(): Promise<void>
}

type Kind = { concurrency: number; running: number; handler: JobHandler<unknown> }

/** Even when a word between processes is lost, no job waits longer than this. */
const pollMs = 2000

/**
 * [Note: Jobs are leased rows]
 * A job is a row. A process takes it by writing a lease that it keeps extending; when the process dies the lease runs out
 * and another takes the job. So a handler may run twice, and must not mind.
 */
export function createJobs(options: {
  db: Kysely<Tables>
  notifications: Notifications
  log: FastifyBaseLogger
  isOnlyProcess: boolean
}): Jobs {
  const { db, notifications, log, isOnlyProcess } = options
  const kinds = new Map<string, Kind>()
  const running = new Map<number, { done: Promise<void>; controller: AbortController; lease: string }>()
  const processName = randomUUID()
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  let isStarted = false
  let isStopping = false
  let looking: Promise<void> | undefined
  let lookAgain = false

  /** Looks for work once at a time; a wish that arrives meanwhile makes it look once more. */
  function look() {
    if (!isStarted || isStopping) return
    lookAgain = true
    looking ??= (async () => {
      try {
        while (lookAgain && !isStopping) {
          lookAgain = false
          await takeDueJobs()
        }
      } catch (error) {
        log.warn({ err: error }, 'jobs could not be read')
      } finally {
        looking = undefined
      }
    })()
  }

  async function takeDueJobs() {
    for (const kind of await claimDueSchedules(db, Date.now())) await insertJob(db, kind, {}, { key: 'scheduled' })
    for (const [name, kind] of kinds) {
      const free = kind.concurrency - kind.running
      if (free <= 0) continue
      for (const row of await leaseJobs(db, { kind: name, lease: processName, limit: free })) {
        void run(name, kind, row)
      }
    }
  }

  async function run(name: string, kind: Kind, row: { id: number; payload: string; attempts: number }) {
    kind.running++
    const controller = new AbortController()
    const heartbeat = setInterval(() => extendLease(db, row.id, processName).catch(() => {}), leaseMs / 3)
    const done = perform(name, kind, row, controller.signal).finally(() => {
      clearInterval(heartbeat)
      kind.running--
      running.delete(row.id)
      look()
    })
    running.set(row.id, { done, controller, lease: processName })
    await done
  }

  async function perform(
    name: string,
    kind: Kind,
    row: { id: number; payload: string; attempts: number },
    signal: AbortSignal,
  ) {
    const isLastAttempt = row.attempts >= maxAttempts
    try {
      await kind.handler(JSON.parse(row.payload), { id: row.id, attempt: row.attempts, isLastAttempt, signal })
      await completeJob(db, row.id, processName)
    } catch (error) {
      if (signal.aborted) return void (await giveBack(db, row.id, processName).catch(() => {}))
      const message = error instanceof Error ? error.message : String(error)
      const isHopeless = error instanceof AppError && error.status < 500
      log.warn({ job: row.id, kind: name, attempt: row.attempts, err: error }, 'job failed')
      const outcome =
        isHopeless || isLastAttempt
          ? failJob(db, row.id, processName, message)
          : retryLater(db, row.id, processName, { message, runAt: Date.now() + backOffMs(row.attempts) })
      await outcome.catch((fault) => log.error({ err: fault, job: row.id }, 'outcome of a job was not recorded'))
    }
  }

  return {
    async enqueue(connection, kind, payload, enqueued) {
      await insertJob(connection, kind, payload, enqueued)
      await notifications.publish('jobs', kind, connection)
    },
    work(kind, { concurrency }, handler) {
      kinds.set(kind, { concurrency, running: 0, handler: handler as JobHandler<unknown> })
      look()
    },
    async schedule(kind, cron) {
      await saveSchedule(db, kind, cron, Date.now())
      look()
    },
    async start() {
      // Alone on this database, whatever is leased was leased by a process that is no more.
      if (isOnlyProcess) await releaseAllLeases(db)
      isStarted = true
      unsubscribe = notifications.subscribe('jobs', look)
      timer = setInterval(look, pollMs).unref()
      look()
    },
    async stop(withinMs = 5000) {
      isStopping = true
      clearInterval(timer)
      unsubscribe()
      await looking
      const patience = setTimeout(() => {
        for (const { controller } of running.values()) controller.abort(new Error('The server is stopping'))
      }, withinMs)
      await Promise.allSettled([...running.values()].map(({ done }) => done))
      clearTimeout(patience)
    },
    async idle() {
      for (;;) {
        look()
        await looking
        const busy = [...running.values()].map(({ done }) => done)
        if (busy.length === 0) return
        await Promise.allSettled(busy)
      }
    },
  }
}
