import { announceMedia } from '#features/media/server/announce.ts'
import { findMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import { ChangeRefused } from '#platform/server/db/change.ts'
import type { Events } from '#platform/server/events/events.ts'
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts'
import { NotNow } from '#platform/server/runs/runs.ts'
import { hasAi } from './ai.ts'
import { type ApplyOptions, applyFindings } from './apply.ts'
import { asFailure, closeAnalysis, holdForAnalysis, isOpen, recordFailure } from './failures.ts'
import { type LookOptions, type LookServices, look } from './look.ts'
import { isWorthWaiting } from './pauses.ts'

export type AnalysisServices = LookServices & { events: Events; jobs: Jobs }

/** `attempt` counts over several jobs: a fault that passes by itself makes a new one for later. */
type Payload = { mediaId: number; attempt?: number }

const mostAttempts = 6
const longestPauseMs = 24 * 3600_000
/** 10 s, 40 s, 2.5 min, 11 min, 43 min, unless the endpoint itself names a later time. */
const pauseMs = (attempt: number, { details }: AppError) =>
  Math.min(longestPauseMs, Math.max(10_000 * 4 ** (attempt - 1), Number(details.retryAfterSeconds ?? 0) * 1000))

/** After an upload, and again by itself when a fault passes. */
export async function analyseUpload(
  services: AnalysisServices,
  { mediaId, attempt = 1 }: Payload,
  { signal }: Pick<Job, 'signal'>,
) {
  const media = await findMedia(services.db, mediaId)
  // Somebody may have analysed it, reverted it or cancelled it since.
  if (!media || !isOpen(media)) return
  if (!hasAi(services.ai)) return letBe(services, media)
  const canRetry = attempt < mostAttempts
  const { fault } = await analyse(services, media, { signal, canRetry, isOnlyWhileOpen: true })
  if (fault?.details.isRetryable && canRetry) {
    const runAt = Date.now() + pauseMs(attempt, fault)
    const again = { mediaId, attempt: attempt + 1 }
    await services.jobs.enqueue(services.db, 'analyze-media', again, { runAt, ownerId: media.owner_id })
  }
}

/** Nobody has set an AI up: nothing has failed, and only who asks for one is told how to get it. */
async function letBe({ db, events }: AnalysisServices, media: MediaRow) {
  await db.transaction().execute(async (transaction) => {
    const row = await holdForAnalysis(transaction, media, true)
    if (row) await closeAnalysis(transaction, row)
  })
  await announceMedia(events, media.owner_id, [media.id])
}

/** A person waits for it: one attempt, and its outcome is on the item. */
export async function analyseOnDemand(services: AnalysisServices, { mediaId }: Payload, { signal }: Job) {
  const media = await findMedia(services.db, mediaId)
  if (media?.ai_status === 'waiting') await analyse(services, media, { signal, isOnlyWhileOpen: true })
}

/** It ended its process again and again, or could not even be written down as failed: nobody waits for it for ever. */
export async function giveUpAnalysis({ db, events }: Pick<AnalysisServices, 'db' | 'events'>, { mediaId }: Payload) {
  const media = await findMedia(db, mediaId)
  if (!media) return
  const sentence = 'The analysis was interrupted repeatedly. Please try again.'
  await recordFailure(db, media, new AppError('ai-interrupted', 503, sentence), { isOnlyWhileOpen: true })
  await announceMedia(events, media.owner_id, [mediaId])
}

type Options = LookOptions & Omit<ApplyOptions, 'refusals'> & { canRetry?: boolean }

/** `fault` beside findings is why the endpoint did not make them and the built-in AI did. */
type Analysed = { isApplied: boolean; fault?: AppError }

/** Looks, writes what was found or why nothing was, and tells the owner's pages. */
export async function analyse(
  services: AnalysisServices,
  media: MediaRow,
  { signal, canWait = false, canRetry = false, ...options }: Options,
): Promise<Analysed> {
  const { db, events, log } = services
  let outcome: Analysed
  try {
    const found = await look(services, media, { signal, canWait })
    await applyFindings(services, media, found, options)
    outcome = { isApplied: true, fault: found.shortfall }
  } catch (error) {
    // The server is stopping: the next process takes the job up.
    if (signal?.aborted || error instanceof NotNow || error instanceof ChangeRefused) throw error
    const fault = asFailure(error, log)
    // Nothing has failed yet: who can wait comes back to it.
    if (canWait && isWorthWaiting(fault)) return { isApplied: false, fault }
    const willRetry = canRetry && fault.details.isRetryable === true
    await recordFailure(db, media, fault, { willRetry, isOnlyWhileOpen: options.isOnlyWhileOpen })
    outcome = { isApplied: false, fault }
  }
  await announceMedia(events, media.owner_id, [media.id])
  return outcome
}
