import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { missingMedia, throwIfNoneExists } from '#features/media/server/not-found.ts'
import { listOwnedSizes, lockMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { type AppError, conflict } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { waitFor } from '#platform/server/events/wait-for.ts'
import type { Job } from '#platform/server/jobs/jobs.ts'
import { countOf } from '#shared/count.ts'
import type { AiRun } from '../../contract.ts'
import { requireAi } from '../ai.ts'
import { type AnalysisServices, analyse } from '../analyse-media.ts'
import { asFailure, isCommonFault } from '../failures.ts'
import { look } from '../look.ts'
import { isWorthWaiting, pauseMs } from '../pauses.ts'
import { saveProposal } from './proposals-store.ts'
import {
  describeRun,
  failWaitingItems,
  findDescribedRun,
  findRun,
  finishItem,
  insertRun,
  listRunErrors,
  listWaitingItems,
  type RunRow,
  setRunStatus,
} from './runs-store.ts'

/** A longer run goes on without the request that began it; events tell how far it is. */
const patienceMs = 50_000
const eventEveryMs = 500
/** After so many faults in a row that the next item would meet as well, the rest is not tried. */
const hopelessAfter = 3
/** Pauses in a row, with nothing answered in between, that a run waits for; together at least 20 minutes. */
const mostPauses = 6

/** `pauses` that the endpoint asked for one after another, the last for `reason`. */
type RunPayload = { runId: string; pauses?: number; reason?: string }

type Wish = { mediaIds: number[]; runId?: string; review?: boolean }

export async function tagMany(
  services: AnalysisServices,
  ownerId: number,
  { mediaIds, runId = randomUUID(), review = false }: Wish,
) {
  const { db, ai, jobs, events } = services
  await requireAi(ai)
  const ids = [...new Set(mediaIds)]
  const beginning = db.transaction().execute(async (transaction) => {
    const owned = await listOwnedSizes(transaction, ownerId, ids)
    // Held, so that all of them are still there when the run names them.
    const held = new Set(await lockMedia(transaction, [...owned.keys()]))
    const missing = ids.filter((id) => !held.has(id)).map(missingMedia)
    throwIfNoneExists({ changed: [...held], errors: missing })
    const items = ids.filter((id) => held.has(id)).map((mediaId) => ({ mediaId }))
    const run = { id: runId, owner_id: ownerId, kind: 'tag', status: 'running', is_review: review ? 1 : 0 } as const
    await insertRun(transaction, run, items)
    await jobs.enqueue(transaction, 'ai-tag-run', { runId }, { key: runId, ownerId })
    return missing
  })
  const missing = await beginning.catch((error) => {
    throw dialectOf(db).isUniqueViolation(error) ? conflict('This run has already begun.') : error
  })
  await waitFor({ events, ownerId, withinMs: patienceMs }, async () => {
    const { status } = await describeRun(db, runId)
    return status !== 'running'
  })
  const run = await describeRun(db, runId)
  const errors = [...missing, ...(await listRunErrors(db, runId))]
  const summary = { successful: run.successful, failed: run.failed + missing.length }
  return { message: sentenceFor(run, summary), summary, errors, run }
}

export function sentenceFor(
  { status, total, ...counts }: AiRun,
  { successful, failed }: { successful: number; failed: number } = counts,
) {
  const failures = failed > 0 ? ` ${countOf(failed, 'item')} failed.` : ''
  if (status === 'running') {
    return `${successful.toLocaleString('en')} of ${countOf(total, 'item')} analyzed so far; the rest continues in the background.${failures}`
  }
  const cancelled = status === 'cancelled' ? ' The rest was canceled.' : ''
  const waiting = status === 'review' ? ' Nothing changes until you review it.' : ''
  return `${countOf(successful, 'item')} analyzed.${failures}${cancelled}${waiting}`
}

/** A long run goes on as one job after another: other people's have their turns, and a few restarts do not use up its attempts. */
const itemsPerJob = 40

/**
 * Goes through a run's items. What is done is written down item by item, so another process can go on from there; what the
 * endpoint wants a pause before is left waiting, and comes up again after it.
 */
export async function workOnRun(services: AnalysisServices, { runId, pauses = 0 }: RunPayload, { signal }: Job) {
  const { db, ai, events, jobs } = services
  const atOnce = ai.endpoint ? 4 : 2
  const announce = createAnnouncer(services, runId)
  const recent: (AppError | undefined)[] = []
  const canWait = pauses < mostPauses
  const isPaused = (fault: AppError | undefined) => canWait && fault !== undefined && isWorthWaiting(fault)
  for (;;) {
    const run = await findRun(db, runId)
    if (run?.status !== 'running') break
    const items = await listWaitingItems(db, runId, atOnce)
    if (items.length === 0) {
      await endRun(db, run, 'done')
      break
    }
    if (recent.length >= itemsPerJob)
      return jobs.enqueue(db, 'ai-tag-run', { runId }, { key: runId, ownerId: run.owner_id })
    const isReview = run.is_review === 1
    const faults = await Promise.all(items.map(isReview ? proposeItem : analyseItem))
    recent.push(...faults.filter((fault) => !isPaused(fault)))
    const pause = faults.find(isPaused)
    if (pause) {
      await announce(run.owner_id)
      return enqueueAfterPause(services, run, pause, recent.length > 0 ? 0 : pauses)
    }
    const hopeless = commonFault(recent.slice(-hopelessAfter))
    if (hopeless) await failWaitingItems(db, runId, hopeless.message)
    await announce(run.owner_id)
  }
  const run = await findRun(db, runId)
  if (run) await publishRun({ db, events }, run.owner_id, runId)

  async function analyseItem(media: MediaRow): Promise<AppError | undefined> {
    const { isApplied, fault } = await analyse(services, media, { signal, canWait, runId })
    if (isPaused(fault)) return fault
    await finishItem(db, runId, media.id, isApplied ? undefined : fault!.message)
    return isApplied ? undefined : fault
  }

  /** Only looks: the item does not even learn that it failed. */
  async function proposeItem(media: MediaRow): Promise<AppError | undefined> {
    try {
      await saveProposal(db, runId, media.id, await look(services, media, { signal, canWait }))
      return undefined
    } catch (error) {
      if (signal.aborted) throw error
      const fault = asFailure(error, services.log)
      if (isPaused(fault)) return fault
      await finishItem(db, runId, media.id, fault.message)
      return fault
    }
  }
}

async function enqueueAfterPause({ db, jobs }: AnalysisServices, run: RunRow, fault: AppError, earlier: number) {
  const payload: RunPayload = { runId: run.id, pauses: earlier + 1, reason: fault.message }
  const runAt = Date.now() + pauseMs(fault, earlier)
  await jobs.enqueue(db, 'ai-tag-run', payload, { key: run.id, ownerId: run.owner_id, runAt })
}

/** Why a run stands still for now, or null; it goes on by itself. */
export async function findPause(db: Kysely<Tables>, runId: string): Promise<string | null> {
  const job = await db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', 'ai-tag-run')
    .where('key', '=', runId)
    .where('status', '=', 'waiting')
    .where('run_at', '>', Date.now())
    .executeTakeFirst()
  return job ? ((JSON.parse(job.payload) as RunPayload).reason ?? null) : null
}

/** After several faults, or processes that ended: what is left has failed, and whoever waits for it is told. */
export async function giveUpRun({ db, events }: Pick<AnalysisServices, 'db' | 'events'>, { runId }: { runId: string }) {
  const run = await findRun(db, runId)
  if (run?.status !== 'running') return
  await failWaitingItems(db, runId, 'The run was interrupted.')
  await endRun(db, run, 'done')
  await publishRun({ db, events }, run.owner_id, runId)
}

/** What was found for a review waits for it; without any, the run is over. */
export async function endRun(db: Kysely<Tables>, { id, is_review }: RunRow, status: 'done' | 'cancelled') {
  const found = is_review === 1 ? await findDescribedRun(db, id) : undefined
  const isWaiting = found !== undefined && found.successful > 0
  await setRunStatus(db, id, isWaiting ? 'review' : status, ['running'])
}

/** The fault that the last few items share, when the next would meet it too. */
function commonFault(last: (AppError | undefined)[]) {
  const [first] = last
  if (!first || last.length < hopelessAfter || !isCommonFault(first)) return undefined
  return last.every((fault) => fault?.code === first.code) ? first : undefined
}

function createAnnouncer({ db, events }: AnalysisServices, runId: string) {
  let next = 0
  return async (ownerId: number) => {
    if (Date.now() < next) return
    next = Date.now() + eventEveryMs
    await publishRun({ db, events }, ownerId, runId)
  }
}

export async function publishRun({ db, events }: { db: Kysely<Tables>; events: Events }, ownerId: number, id: string) {
  const run = await findDescribedRun(db, id)
  if (run) await events.publish(ownerId, { type: 'ai-run', ...run })
}
