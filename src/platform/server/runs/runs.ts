import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { AppError } from '#platform/errors.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Events } from '../events/events.ts'
import { waitFor } from '../events/wait-for.ts'
import type { Job, Jobs } from '../jobs/jobs.ts'
import {
  beginItem,
  describeProgress,
  type Ending,
  endItem,
  endOrLetStop,
  endRun,
  findRun,
  insertRun,
  isUnderWay,
  listItems,
  type NewItem,
  type NewRun,
  putBackItem,
  type Run,
  type RunItem,
} from './runs-store.ts'

type RunServices = { db: Kysely<Tables>; jobs: Jobs; events: Events }
type WorkServices = RunServices & { log: FastifyBaseLogger }

/** `markDone` belongs into the transaction that has the item's effect: after a crash both are there, or neither. */
type WorkOnItem = (item: RunItem, markDone: (transaction: Db, output?: string) => Promise<void>) => Promise<void>

/**
 * [Note: Runs]
 * Long work on many items is a row, its items are rows, and it is done by one job after another of the same kind. So it
 * outlives the request and the process, others have their turns in between, and a few restarts do not use up its attempts.
 * A feature brings a name, the items and one function; see docs/decisions/031-runs.md.
 */
export type RunKind = {
  kind: string
  /** In one process. */
  runsAtOnce: number
  itemsAtOnce: number
  itemsPerJob: number
  /** Why the items have failed that were not reached when the run is given up. */
  interrupted: string
  /** Called once for each job. An item that throws an AppError has failed; any other error fails the job, which is tried again. */
  begin(run: Run, job: Job): WorkOnItem
}

type RunPayload = { runId: number }

/** Inside the caller's transaction: run, items and job exist together or not at all. */
export async function startRun(transaction: Db, jobs: Jobs, run: NewRun, items: NewItem[]): Promise<Run> {
  const row = await insertRun(transaction, run, items)
  await enqueueRun(jobs, transaction, row)
  return row
}

async function enqueueRun(jobs: Jobs, db: Db, { id, kind, owner_id }: Run) {
  const payload: RunPayload = { runId: id }
  await jobs.enqueue(db, kind, payload, { key: String(id), ownerId: owner_id ?? undefined })
}

export function workOnRuns(services: WorkServices, runKind: RunKind) {
  const { db, jobs } = services
  const { kind, runsAtOnce: concurrency } = runKind
  const onGivenUp = ({ runId }: RunPayload) => giveUpRun(services, runKind, runId)
  jobs.work<RunPayload>(kind, { concurrency, onGivenUp }, async ({ runId }, job) => {
    const run = await findRun(db, runId)
    if (run?.kind === kind && isUnderWay(run)) await continueRun(services, runKind, run, job)
  })
}

async function continueRun(services: WorkServices, runKind: RunKind, run: Run, job: Job) {
  const { db, jobs } = services
  const work = runKind.begin(run, job)
  const items =
    run.status === 'running' ? await listItems(db, run.id, { state: 'waiting', limit: runKind.itemsPerJob }) : []
  await forEachConcurrently(items, runKind.itemsAtOnce, async (item) => {
    job.signal.throwIfAborted()
    if (await workOnItem(services, work, item, job)) await publishRun(services, run.id)
  })
  const now = await findRun(db, run.id)
  if (now?.status === 'running' && (await listItems(db, run.id, { state: 'waiting', limit: 1 })).length > 0)
    return enqueueRun(jobs, db, run)
  await endRun(db, run.id, { status: now?.status === 'stopping' ? 'stopped' : 'ended' })
  await publishRun(services, run.id)
}

/** Says whether the item was begun; nothing is begun in a run that was stopped. */
async function workOnItem({ db, log }: WorkServices, work: WorkOnItem, item: RunItem, job: Job) {
  const inTransaction = <T>(change: (transaction: Db) => Promise<T>) => db.transaction().execute(change)
  const begun_at = Date.now()
  if (!(await inTransaction((transaction) => beginItem(transaction, item, begun_at)))) return false
  const end = (ending: Ending) => inTransaction((transaction) => endItem(transaction, item, ending))
  let isMarked = false
  try {
    await work({ ...item, begun_at }, async (transaction, output) => {
      isMarked = await endItem(transaction, item, { state: 'done', output })
      // Rolls back what was done to the item for the second time.
      if (!isMarked) throw new Error('Another process has taken this run over')
    })
    if (!isMarked) await end({ state: 'done' })
  } catch (error) {
    if (job.signal.aborted) throw error
    if (!(error instanceof AppError) && !job.isLastAttempt) {
      await putBackItem(db, item)
      throw error
    }
    if (!(error instanceof AppError)) log.error({ err: error, run: item.run_id }, 'item of a run was given up')
    const sentence = 'Something went wrong on our end with this item.'
    await end({ state: 'failed', error: error instanceof AppError ? error.message : sentence })
  }
  return true
}

/** Nothing more is begun. The run is over at once, unless items were begun: then it is over when they have ended. */
export async function stopRun(services: Pick<RunServices, 'db' | 'events'>, { id }: Run) {
  await services.db.transaction().execute((transaction) => endOrLetStop(transaction, id))
  await publishRun(services, id)
}

/** The job has failed too often, or ended its process each time: the items that are left have failed. */
async function giveUpRun(services: WorkServices, { interrupted }: RunKind, runId: number) {
  if (await endRun(services.db, runId, { status: 'failed', error: interrupted })) await publishRun(services, runId)
}

/** Tells the owner's pages how far the run is. */
async function publishRun({ db, events }: Pick<RunServices, 'db' | 'events'>, runId: number) {
  const run = await findRun(db, runId)
  if (run?.owner_id) await events.publish(run.owner_id, { type: 'run', ...(await describeProgress(db, run)) })
}

type Waiting = { signal?: AbortSignal; withinMs?: number }

/** Until the run is over, the time is up, or the caller has left. */
export async function waitForRun({ db, events }: Pick<RunServices, 'db' | 'events'>, run: Run, waiting: Waiting) {
  await waitFor({ events, ownerId: run.owner_id ?? 0, ...waiting }, async () => {
    const now = await findRun(db, run.id)
    return !now || !isUnderWay(now)
  })
}
