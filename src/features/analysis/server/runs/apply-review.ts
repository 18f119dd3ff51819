import { announceMedia } from '#features/media/server/announce.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { AppError } from '#platform/errors.ts'
import { waitFor } from '#platform/server/events/wait-for.ts'
import type { Job } from '#platform/server/jobs/jobs.ts'
import { countOf } from '#shared/count.ts'
import type { AnalysisServices } from '../analyse-media.ts'
import { applyFindings } from '../apply.ts'
import { asFailure } from '../failures.ts'
import { findEmbedding } from '../results-store.ts'
import { listProposed, type ProposedItem, rejectItem } from './proposals-store.ts'
import { mustWait } from './review.ts'
import { publishRun } from './runs.ts'
import { countApplied, describeRun, findRun, finishItem, type RunRow, setRunStatus } from './runs-store.ts'

const patienceMs = 50_000
const batch = 25

/** Begins to write what was accepted and answers when that is done, or when nobody would wait any longer. */
export async function startApplying(services: AnalysisServices, run: Owned<RunRow>) {
  const { db, jobs, events } = services
  await db.transaction().execute(async (transaction) => {
    const isOurs = await setRunStatus(transaction, run.id, 'applying', ['review'])
    if (!isOurs) mustWait(await describeRun(transaction, run.id))
    await jobs.enqueue(transaction, 'ai-apply-run', { runId: run.id }, { key: run.id, ownerId: run.owner_id })
  })
  await waitFor({ events, ownerId: run.owner_id, withinMs: patienceMs }, async () => {
    const { status } = await describeRun(db, run.id)
    return status !== 'applying'
  })
  const after = await describeRun(db, run.id)
  const changed = await countApplied(db, run.id)
  const failures = after.failed > 0 ? ` ${countOf(after.failed, 'item')} failed.` : ''
  const rest = after.status === 'applying' ? ' The rest continues in the background.' : ''
  return {
    message: `${countOf(changed, 'item')} changed.${failures}${rest}`,
    summary: { successful: changed, failed: after.failed },
    run: after,
  }
}

/** Goes through what was found, item by item, so that another process can go on where this one stopped. */
export async function applyReview(
  services: AnalysisServices,
  { runId }: { runId: string },
  { signal }: Pick<Job, 'signal'>,
) {
  const { db, events } = services
  for (;;) {
    signal.throwIfAborted()
    const run = await findRun(db, runId)
    if (run?.status !== 'applying') return
    const items = await listProposed(db, runId, { limit: batch })
    if (items.length === 0) {
      await setRunStatus(db, runId, 'done', ['applying'])
      return publishRun({ db, events }, run.owner_id, runId)
    }
    for (const item of items) await applyItem(services, runId, item)
    await announceMedia(
      events,
      run.owner_id,
      items.map(({ media }) => media.id),
    )
    await publishRun({ db, events }, run.owner_id, runId)
  }
}

/** What is not written yet waits for its review again, and can be applied once more. */
export async function giveUpApplying(
  { db, events }: Pick<AnalysisServices, 'db' | 'events'>,
  { runId }: { runId: string },
) {
  const run = await findRun(db, runId)
  if (run && (await setRunStatus(db, runId, 'review', ['applying'])))
    await publishRun({ db, events }, run.owner_id, runId)
}

async function applyItem(services: AnalysisServices, runId: string, { media, proposal, choice }: ProposedItem) {
  const { db, log } = services
  if (choice.isRejected) return rejectItem(db, runId, media.id)
  try {
    const { shortfall, ...found } = proposal
    const analysis = { ...found, embedding: await findEmbedding(db, media.blob) }
    const fault = shortfall ? new AppError(shortfall.code, shortfall.status, shortfall.message) : undefined
    await applyFindings(services, media, { analysis, shortfall: fault }, { runId, refusals: choice })
    await finishItem(db, runId, media.id)
  } catch (error) {
    await finishItem(db, runId, media.id, asFailure(error, log).message)
  }
}
