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
  /** Give the transaction that makes the work necessary as `db`: then the work exists exactly when its reason does. */
  enqueue(db: Db, kind: string, payload: unknown, options?: Enqueued): Promise<void>
  work<Payload>(kind: string, options: WorkOptions<Payload>, handler: JobHandler<Payload>): void
  schedule(kind: string, cron: string): Promise<void>
  start(): Promise<void>
  /** Takes no more work and waits for what runs; after `withinMs` that is told to end, and given back undone. */
  stop(withinMs?: number): Promise<void>
  /** Resolves when nothing is due and nothing runs in this process; for tests and orderly hand-overs. */
  idle(): Promise<void>
}

type WorkOptions<Payload> = {
  concurrency: number
  /** The work replaces what all other work changes, or changes nothing of it; see [Note: Every change is checked]. */
  isUnchecked?: boolean
  /** Whoever waits for the work is told that it will not be done; may be called again. */
  onGivenUp?: GivenUpHandler<Payload>
}

type Kind = {
  concurrency: number
  isUnchecked: boolean
  running: number
  /** See [Note: Owners take turns]; of this process alone, which is near enough. */
  servedLast: number
  handler: JobHandler<unknown>
  onGivenUp?: GivenUpHandler<unknown>
}
type Run = { id: number; done: Promise<void>; controller: AbortController }

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
  policy?: typeof usualPolicy
  /** The check for all jobs that are taken now, or a `ChangeRefused` while none may be. */
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
  let looking: Promise<void> | undefined
  let lookAgain = false
  let lastLook = 0

  /** Looks for work once at a time; a wish that arrives meanwhile makes it look once more. */
  function look() {
    if (!isStarted || isStopping) return
    lookAgain = true
    looking ??= outsideChange(async () => {
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
    if (now < lastLook) {
      await realignSchedules(db, now)
      await realignJobs(db, now)
    }
    lastLook = now
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
    const ofNext = await leaseJobs(db, { ...wanted, servedLast })
    // Another process may be taking the last job of the owner whose turn it is: then anybody's will do.
    return ofNext.length > 0 ? ofNext : leaseJobs(db, wanted)
  }

  function run(kind: Kind, job: LeasedJob, check: ChangeCheck | undefined) {
    kind.running++
    const controller = new AbortController()
    const handler: JobHandler<unknown> = (payload, running) => asChange(check, () => kind.handler(payload, running))
    const done = runJob({ db, log, policy }, job, { ...kind, handler }, controller).finally(() => {
      kind.running--
      runs.delete(entry)
      look()
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
      look()
    },
    async schedule(kind, cron) {
      await saveSchedule(db, kind, cron, Date.now())
      look()
    },
    async start() {
      // Alone on this database, whatever is leased was leased by a process that is no more.
      if (isOnlyProcess) await releaseAllLeases(db)
      await realignJobs(db, Date.now())
      // Stopped before it had begun: then it never begins.
      if (isStopping) return
      isStarted = true
      unsubscribe = notifications.subscribe('jobs', look)
      timer = setInterval(look, policy.pollMs).unref()
      look()
    },
    async stop(withinMs = 5000) {
      isStopping = true
      clearInterval(timer)
      unsubscribe()
      await looking
      const patience = setTimeout(() => {
        for (const { controller } of runs) controller.abort(new Error('The server is stopping'))
      }, withinMs)
      await allDone()
      clearTimeout(patience)
    },
    async idle() {
      do {
        look()
        await looking
        await allDone()
      } while (looking || runs.size > 0)
    },
  }
}
