import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { asChange, type ChangeCheck, ChangeRefused, outsideChange } from '../db/change.ts'
import type { Notifications } from '../db/database.ts'
import type { Db, Tables } from '../db/tables.ts'
import { usualPolicy } from './policy.ts'
import { type GivenUpHandler, type JobHandler, runJob } from './run-job.ts'
import { enqueueDueSchedules, realignSchedules, saveSchedule } from './schedule-store.ts'
import {
  type Enqueued,
  insertJob,
  type LeasedJob,
  leaseJobs,
  listDueKinds,
  realignJobs,
  releaseAllLeases,
} from './store.ts'

export type { Job } from './run-job.ts'

export type Jobs = {
  /** Pass the transaction that makes the job necessary as `db`, so that both are committed or neither. */
  enqueue(db: Db, kind: string, payload: unknown, options?: Enqueued): Promise<void>
  work<Payload>(kind: string, options: WorkOptions<Payload>, handler: JobHandler<Payload>): void
  schedule(kind: string, cron: string): Promise<void>
  start(): Promise<void>
  /** Takes no more jobs and waits for running ones. After `withinMs` these are aborted and returned to the queue. */
  stop(withinMs?: number): Promise<void>
  /** Resolves when no job is due and none runs in this process; for tests and orderly hand-overs. */
  idle(): Promise<void>
}

type WorkOptions<Payload> = {
  concurrency: number
  /** The job replaces the whole library or writes nothing to it; see [Note: Every change is checked]. */
  isUnchecked?: boolean
  /** Tells waiting users that the job has failed permanently. May be called more than once. */
  onGivenUp?: GivenUpHandler<Payload>
}

type Kind = {
  concurrency: number
  isUnchecked: boolean
  running: number
  /** See [Note: Owners take turns]; each process keeps its own value, which is fair enough. */
  servedLast: number
  handler: JobHandler<unknown>
  onGivenUp?: GivenUpHandler<unknown>
}
type Run = { id: number; done: Promise<void>; controller: AbortController }

/**
 * [Note: Jobs are leased rows]
 * A job is a row. A process takes it by writing a lease and extends the lease while it works; when the process dies the lease
 * expires and another process takes the job. A handler may therefore run twice and must be idempotent.
 */
export function createJobs(options: {
  db: Kysely<Tables>
  notifications: Notifications
  log: FastifyBaseLogger
  isOnlyProcess: boolean
  policy?: typeof usualPolicy
  /** Returns the check for the jobs that are taken now, or throws `ChangeRefused` while none may be taken. */
  beginChange?: () => Promise<ChangeCheck>
}): Jobs {
  const {
    db,
    notifications,
    log,
    isOnlyProcess,
    policy = usualPolicy,
    beginChange = async () => async () => {},
  } = options
  const kinds = new Map<string, Kind>()
  const runs = new Set<Run>()
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  let isStarted = false
  let isStopping = false
  let polling: Promise<void> | undefined
  let pollAgain = false
  let lastPolledAt = 0

  /** Only one poll runs at a time; a call that arrives during it causes one more. */
  function poll() {
    if (!isStarted || isStopping) return
    pollAgain = true
    polling ??= outsideChange(async () => {
      try {
        while (pollAgain && !isStopping) {
          pollAgain = false
          await takeDueJobs()
        }
      } catch (error) {
        log.warn({ err: error }, 'reading jobs failed')
      } finally {
        polling = undefined
      }
    })
  }

  async function checkUnlessPaused() {
    try {
      return await beginChange()
    } catch (error) {
      if (error instanceof ChangeRefused) return undefined
      throw error
    }
  }

  async function takeDueJobs() {
    const now = Date.now()
    if (now < lastPolledAt) {
      await realignSchedules(db, now)
      await realignJobs(db, now)
    }
    lastPolledAt = now
    await enqueueDueSchedules(db, now)
    const check = await checkUnlessPaused()
    const free = [...kinds].filter(([, kind]) => kind.running < kind.concurrency && (check || kind.isUnchecked))
    const names = free.map(([name]) => name)
    for (const name of await listDueKinds(db, names, policy.leaseMs)) {
      if (isStopping) return
      const kind = kinds.get(name)!
      while (kind.running < kind.concurrency && !isStopping) {
        const jobs = await takeJobs(name, kind)
        if (jobs.length === 0) break
        kind.servedLast = jobs[0]!.owner_id
        for (const job of jobs) run(kind, job, kind.isUnchecked ? undefined : check)
      }
    }
  }

  async function takeJobs(name: string, { concurrency, running, servedLast }: Kind) {
    const except = [...runs].map(({ id }) => id)
    const limit = concurrency - running
    const wanted = { kind: name, lease: randomUUID(), leaseMs: policy.leaseMs, limit, except }
    const jobs = await leaseJobs(db, { ...wanted, servedLast })
    // Another process may have taken the last job of the next owner; then a job of any owner is taken.
    return jobs.length > 0 ? jobs : leaseJobs(db, wanted)
  }

  function run(kind: Kind, job: LeasedJob, check: ChangeCheck | undefined) {
    kind.running++
    const controller = new AbortController()
    const handler: JobHandler<unknown> = (payload, running) => asChange(check, () => kind.handler(payload, running))
    const done = runJob({ db, log, policy }, job, { ...kind, handler }, controller).finally(() => {
      kind.running--
      runs.delete(entry)
      poll()
    })
    const entry: Run = { id: job.id, done, controller }
    runs.add(entry)
  }

  const allDone = () => Promise.all([...runs].map(({ done }) => done))

  return {
    async enqueue(connection, kind, payload, enqueued) {
      await insertJob(connection, kind, payload, enqueued)
      await notifications.publish('jobs', kind, connection)
    },
    work(kind, { concurrency, isUnchecked = false, onGivenUp }, handler) {
      kinds.set(kind, {
        concurrency,
        isUnchecked,
        running: 0,
        servedLast: 0,
        handler: handler as JobHandler<unknown>,
        onGivenUp: onGivenUp as GivenUpHandler<unknown> | undefined,
      })
      poll()
    },
    async schedule(kind, cron) {
      await saveSchedule(db, kind, cron, Date.now())
      poll()
    },
    async start() {
      // With no other process on this database, every lease belongs to a process that has ended.
      if (isOnlyProcess) await releaseAllLeases(db)
      await realignJobs(db, Date.now())
      // `stop` may be called before `start` has finished.
      if (isStopping) return
      isStarted = true
      unsubscribe = notifications.subscribe('jobs', poll)
      timer = setInterval(poll, policy.pollMs).unref()
      poll()
    },
    async stop(withinMs = 5000) {
      isStopping = true
      clearInterval(timer)
      unsubscribe()
      await polling
      const timeout = setTimeout(() => {
        for (const { controller } of runs) controller.abort(new Error('The server is stopping'))
      }, withinMs)
      await allDone()
      clearTimeout(timeout)
    },
    async idle() {
      do {
        poll()
        await polling
        await allDone()
      } while (polling || runs.size > 0)
    },
  }
}
