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
import { type AiServices, type ObtainOptions, obtainAnalysis } from './obtain-analysis.ts'
import { isWorthWaiting } from './pauses.ts'

export type AnalysisServices = AiServices & { events: Events; jobs: Jobs }

/** `attempt` counts across jobs, as each retry of a temporary failure is a new job with a later start. */
type Payload = { mediaId: number; attempt?: number }

const maxAttempts = 6
const longestPauseMs = 24 * 3600_000
/** 10 s, 40 s, 2.5 min, 11 min and 43 min, unless the endpoint asks for a longer pause. */
const pauseMs = (attempt: number, { details }: AppError) =>
  Math.min(longestPauseMs, Math.max(10_000 * 4 ** (attempt - 1), Number(details.retryAfterSeconds ?? 0) * 1000))

/** Analyzes an item after its upload, and again after a temporary failure. */
export async function analyzeUpload(
  services: AnalysisServices,
  { mediaId, attempt = 1 }: Payload,
  { signal }: Pick<Job, 'signal'>,
) {
  const media = await findMedia(services.db, mediaId)
  // The item may have been analyzed, reverted or canceled in the meantime.
  if (!media || !isOpen(media)) return
  if (!hasAi(services.ai)) return closeUnstarted(services, media)
  const canRetry = attempt < maxAttempts
  const { fault } = await analyze(services, media, { signal, canRetry, isOnlyWhileOpen: true })
  if (fault?.details.isRetryable && canRetry) {
    const runAt = Date.now() + pauseMs(attempt, fault)
    const again = { mediaId, attempt: attempt + 1 }
    await services.jobs.enqueue(services.db, 'analyze-media', again, { runAt, ownerId: media.owner_id })
  }
}

/**
 * Without a configured AI nothing has failed, so the item shows no error. Only a request for an analysis explains the setup.
 */
async function closeUnstarted({ db, events }: AnalysisServices, media: MediaRow) {
  await db.transaction().execute(async (transaction) => {
    const row = await holdForAnalysis(transaction, media, true)
    if (row) await closeAnalysis(transaction, row)
  })
  await announceMedia(events, media.owner_id, [media.id])
}

/** A user is waiting for the result, so there is only one attempt, and its outcome is stored on the item. */
export async function analyzeOnDemand(services: AnalysisServices, { mediaId }: Payload, { signal }: Job) {
  const media = await findMedia(services.db, mediaId)
  if (media?.ai_status === 'waiting') await analyze(services, media, { signal, isOnlyWhileOpen: true })
}

/**
 * Called when the job crashed the process on every attempt or its failure could not be stored, so that the item does not stay
 * pending forever.
 */
export async function giveUpAnalysis({ db, events }: Pick<AnalysisServices, 'db' | 'events'>, { mediaId }: Payload) {
  const media = await findMedia(db, mediaId)
  if (!media) return
  const sentence = 'The analysis was interrupted repeatedly. Please try again.'
  await recordFailure(db, media, new AppError('ai-interrupted', 503, sentence), { isOnlyWhileOpen: true })
  await announceMedia(events, media.owner_id, [mediaId])
}

type Options = ObtainOptions & Omit<ApplyOptions, 'refusals'> & { canRetry?: boolean }

/** With `isApplied`, `fault` is why the built-in AI stood in for the endpoint. */
type Analyzed = { isApplied: boolean; fault?: AppError }

/** Analyzes an item, stores the result or the failure, and notifies the owner's pages. */
export async function analyze(
  services: AnalysisServices,
  media: MediaRow,
  { signal, canWait = false, website, canRetry = false, ...options }: Options,
): Promise<Analyzed> {
  const { db, events, log } = services
  let outcome: Analyzed
  try {
    const found = await obtainAnalysis(services, media, { signal, canWait, website })
    await applyFindings(services, media, found, options)
    outcome = { isApplied: true, fault: found.shortfall }
  } catch (error) {
    // The server is stopping, and the next process resumes the job.
    if (signal?.aborted || error instanceof NotNow || error instanceof ChangeRefused) throw error
    const fault = asFailure(error, log)
    // A caller that can wait retries after the pause, so this is not recorded as a failure.
    if (canWait && isWorthWaiting(fault)) return { isApplied: false, fault }
    const willRetry = canRetry && fault.details.isRetryable === true
    await recordFailure(db, media, fault, { willRetry, isOnlyWhileOpen: options.isOnlyWhileOpen })
    outcome = { isApplied: false, fault }
  }
  await announceMedia(events, media.owner_id, [media.id])
  return outcome
}
