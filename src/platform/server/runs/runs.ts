import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { AppError } from '#platform/errors.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'
import { ChangeRefused } from '../db/change.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Events } from '../events/events.ts'
import { waitFor } from '../events/wait-for.ts'
import type { Job, Jobs } from '../jobs/jobs.ts'
import {
  addItems,
  beginItem,
  describeProgress,
  type Ending,
  endItem,
  endOrLetStop,
  endRun,
  findLastItem,
  findRun,
  insertRun,
  isUnderWay,
  listItems,
  type NewItem,
  type NewRun,
  putBackItem,
  type Run,
  type RunItem,
  type RunPayload,
  reopenRun,
} from './runs-store.ts'

type RunServices = { db: Kysely<Tables>; jobs: Jobs; events: Events }
type WorkServices = RunServices & { log: FastifyBaseLogger }

/**
 * `mark` belongs into the transaction that has the item's effect: after a crash both are there, or neither. A function that
 * does not call it has done the item when it returns.
 */
export type WorkOnItem = (
  item: RunItem,
  mark: (transaction: Db, ending?: Partial<Ending>) => Promise<void>,
) => Promise<void>

/** Thrown for an item that is to wait. With `pauseMs`, no other item is begun, and the run goes on after that time. */
export class NotNow extends Error {
  /** `pauses`: how many there were in a row before this one, with no item ended in between. */
  readonly pauseMs?: (pauses: number) => number
  constructor(reason: string, pauseMs?: (pauses: number) => number) {
    super(reason)
    this.pauseMs = pauseMs
  }
}

/** Thrown for an item that has failed for a reason that every other item would meet: those that wait fail for it as well. */
export class RunFailure extends AppError {
  constructor({ code, status, message, details }: AppError) {
    super(code, status, message, details)
  }
}

/** `pauses` as in NotNow. */
type RunJob = Job & { pauses: number }

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
  /** When one owner may not have all of them; `runsAtOnce` unless given. */
  runsAtOncePerOwner?: number
  itemsAtOnce: number
  itemsPerJob: number
  /** The state of the items that are to be done; `waiting` unless given. */
  takes?: RunItem['state']
  /** Called once for each job. An item that throws an AppError has failed; any other error fails the job, which is tried again. */
  begin(run: Run, job: RunJob): WorkOnItem
  /** For items that are found as the run goes on: those after `last`, or none when the run is over. */
  findItems?(run: Run, last: RunItem | undefined, job: RunJob): Promise<NewItem[]>
  /** Why the items have failed that were not reached when the run is given up, or what becomes of the run instead. */
  interrupted: string | ((run: Run, error: unknown) => Promise<void>)
}

/** A run whose owner has all the turns that one may have is looked at again after this time. */
const nextTurnMs = 3000

/** Inside the caller's transaction: run, items and job exist together or not at all. */
export async function startRun(transaction: Db, jobs: Jobs, run: NewRun, items: NewItem[]): Promise<Run> {
  const row = await insertRun(transaction, run, items)
  await enqueueRun(jobs, transaction, row)
  return row
}

/** A run that has ended goes on as another kind of work on the same items. */
export async function continueAs(transaction: Db, jobs: Jobs, run: Run, kind: string) {
  const again = await reopenRun(transaction, run.id, kind)
  await enqueueRun(jobs, transaction, again)
}

async function enqueueRun(
  jobs: Jobs,
  db: Db,
  { id, kind, owner_id }: Run,
  later: Partial<RunPayload & { runAt: number }> = {},
) {
  const { runAt, ...pause } = later
  const payload: RunPayload = { runId: id, ...pause }
  await jobs.enqueue(db, kind, payload, { key: String(id), ownerId: owner_id ?? undefined, runAt })
}

export function workOnRuns(services: WorkServices, runKind: RunKind) {
  const { db, jobs } = services
  const { kind, runsAtOnce: concurrency, runsAtOncePerOwner = concurrency } = runKind
  const ownersAtWork: (number | null)[] = []
  const onGivenUp = ({ runId }: RunPayload, error: unknown) => giveUpRun(services, runKind, { runId, error })
  jobs.work<RunPayload>(kind, { concurrency, onGivenUp }, async ({ runId, pauses = 0 }, job) => {
    const run = await findRun(db, runId)
    if (run?.kind !== kind || !isUnderWay(run)) return
    const { owner_id } = run
    if (ownersAtWork.filter((ownerId) => ownerId === owner_id).length >= runsAtOncePerOwner)
      return enqueueRun(jobs, db, run, { runAt: Date.now() + nextTurnMs, pauses })
    ownersAtWork.push(owner_id)
    try {
      await continueRun(services, runKind, run, { ...job, pauses })
    } finally {
      ownersAtWork.splice(ownersAtWork.indexOf(owner_id), 1)
    }
  })
}

async function continueRun(services: WorkServices, runKind: RunKind, run: Run, job: RunJob) {
  const { db, jobs } = services
  const { kind, takes: state = 'waiting', itemsAtOnce } = runKind
  const work = runKind.begin(run, job)
  const items = run.status === 'running' ? await takeItems(services, runKind, { run, job }) : []
  let ended = 0
  let lastBegun = 0
  let pause: NotNow | undefined
  let failure: RunFailure | undefined
  await forEachConcurrently(items, itemsAtOnce, async (item) => {
    job.signal.throwIfAborted()
    if (pause || failure) return
    // No two at the same moment, so that this time keeps them in order.
    lastBegun = Math.max(Date.now(), lastBegun + 1)
    const outcome = await workOnItem(services, runKind, { work, item: { ...item, begun_at: lastBegun }, job })
    if (outcome instanceof NotNow && outcome.pauseMs) pause ??= outcome
    if (outcome instanceof RunFailure) failure ??= outcome
    if (outcome !== 'ended') return
    ended++
    await publishRun(services, run.id)
  })
  const now = await findRun(db, run.id)
  // `continueAs` may have turned a run that was stopping into another kind of work.
  if (now?.kind !== kind) return
  if (now.status === 'running' && pause?.pauseMs) {
    const pauses = ended > 0 ? 0 : job.pauses
    const runAt = Date.now() + pause.pauseMs(pauses)
    await enqueueRun(jobs, db, run, { runAt, pauses: pauses + 1, reason: pause.message })
    return publishRun(services, run.id)
  }
  const mayHaveMore = async () =>
    runKind.findItems ? items.length > 0 : (await listItems(db, run.id, { state, limit: 1 })).length > 0
  if (now.status === 'running' && !failure && (await mayHaveMore())) return enqueueRun(jobs, db, run)
  const status = now.status === 'stopping' ? 'stopped' : failure ? 'failed' : 'ended'
  const ending = { status, error: status === 'failed' ? failure?.message : undefined } as const
  // A run that was stopping may have been reopened since it was read.
  if (!(await endRun(db, now, ending, now.status)) && (await findRun(db, run.id))?.status === 'running')
    return enqueueRun(jobs, db, run)
  await publishRun(services, run.id)
}

async function takeItems({ db }: WorkServices, runKind: RunKind, { run, job }: { run: Run; job: RunJob }) {
  const { takes: state = 'waiting', itemsPerJob: limit, findItems } = runKind
  const items = await listItems(db, run.id, { state, limit })
  if (items.length > 0 || !findItems) return items
  const found = await findItems(run, await findLastItem(db, run.id), job)
  if (found.length > 0) await db.transaction().execute((transaction) => addItems(transaction, run.id, found))
  return listItems(db, run.id, { state, limit })
}

type Work = { work: WorkOnItem; item: RunItem; job: Job }

/** Nothing is begun in a run that was stopped. */
async function workOnItem({ db, log }: WorkServices, { kind }: RunKind, { work, item, job }: Work) {
  const inTransaction = <T>(change: (transaction: Db) => Promise<T>) => db.transaction().execute(change)
  const begunAt = item.begun_at!
  if (!(await inTransaction((transaction) => beginItem(transaction, item, { kind, begunAt })))) return 'not-begun'
  const end = (ending: Ending) => inTransaction((transaction) => endItem(transaction, item, ending))
  let isMarked = false
  try {
    await work(item, async (transaction, ending) => {
      isMarked = await endItem(transaction, item, { state: 'done', ...ending })
      // Rolls back what was done to the item for the second time.
      if (!isMarked) throw new NotNow('Another process has done this item.')
    })
    if (!isMarked) await end({ state: 'done' })
  } catch (error) {
    if (job.signal.aborted || error instanceof ChangeRefused) throw error
    const isUnexpected = !(error instanceof AppError || error instanceof NotNow)
    if (error instanceof NotNow || (isUnexpected && !job.isLastAttempt))
      await inTransaction((transaction) => putBackItem(transaction, item))
    if (error instanceof NotNow) return error
    if (isUnexpected && !job.isLastAttempt) throw error
    if (isUnexpected) log.error({ err: error, run: item.run_id }, 'run item failed unexpectedly')
    const sentence = 'Something went wrong on our end with this item.'
    await end({ state: 'failed', error: error instanceof AppError ? error.message : sentence })
    if (error instanceof RunFailure) return error
  }
  return 'ended'
}

/** Nothing more is begun. The run is over at once, unless items were begun: then it is over when they have ended. */
export async function stopRun(services: Pick<RunServices, 'db' | 'events'>, { id }: Run) {
  await services.db.transaction().execute((transaction) => endOrLetStop(transaction, id))
  await publishRun(services, id)
}

/** The job has failed too often, or ended its process each time: the items that are left have failed. */
async function giveUpRun(
  services: WorkServices,
  { kind, interrupted }: RunKind,
  { runId, error }: { runId: number; error: unknown },
) {
  const run = await findRun(services.db, runId)
  if (run?.kind !== kind || !isUnderWay(run)) return
  if (typeof interrupted === 'string') await endRun(services.db, run, { status: 'failed', error: interrupted })
  else await interrupted(run, error)
  await publishRun(services, runId)
}

/** Tells the owner's pages how far the run is. */
export async function publishRun({ db, events }: Pick<RunServices, 'db' | 'events'>, runId: number) {
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
