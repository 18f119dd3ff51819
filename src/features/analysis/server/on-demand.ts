import { announceMedia } from '#features/media/server/announce.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { loadOwnedMedia, lockItem, updateMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { unavailable } from '#platform/errors.ts'
import { checkChange } from '#platform/server/db/change.ts'
import { waitFor } from '#platform/server/events/wait-for.ts'
import { requireAi } from './ai.ts'
import type { AnalysisServices } from './analyze-media.ts'
import { clearFailure, closeAnalysis, findFailure, isOpen } from './failures.ts'

/** Longer than an endpoint may take, shorter than the timeout of proxies. */
const maxWaitMs = 55_000

/**
 * Analyzes an item again and waits for the result. The work is a job, so it continues if the client disconnects, and a result
 * that takes longer appears on the item later.
 */
export async function analyzeNow(services: AnalysisServices, media: Owned<MediaRow>): Promise<MediaRow> {
  const { db, ai, jobs, events } = services
  await requireAi(ai)
  await db.transaction().execute(async (transaction) => {
    await updateMedia(transaction, media.id, { ai_status: 'waiting', ai_error: null })
    await clearFailure(transaction, media.id)
    await jobs.enqueue(
      transaction,
      'analyze-now',
      { mediaId: media.id },
      { key: String(media.id), ownerId: media.owner_id },
    )
  })
  // Every open page shows the progress and a cancel button.
  await announceMedia(events, media.owner_id, [media.id])
  let row = media
  await waitFor({ events, ownerId: media.owner_id, withinMs: maxWaitMs }, async () => {
    row = await loadOwnedMedia(db, media.owner_id, media.id)
    await checkChange(db)
    return row.ai_status !== 'waiting'
  })
  if (row.ai_status === 'failed') throw (await findFailure(db, row.id)) ?? unavailable('The analysis failed.')
  return row
}

/** Cancels a pending or running analysis. A result that still arrives is cached for the next analysis but not applied. */
export async function cancelAnalysis({ db }: Pick<AnalysisServices, 'db'>, media: Owned<MediaRow>): Promise<MediaRow> {
  return db.transaction().execute(async (transaction) => {
    // Locked, as the analysis may end at this moment and can then not be canceled any more.
    const now = await lockItem(transaction, media)
    if (!isOpen(now) || now.ai_status === 'failed') return now
    return closeAnalysis(transaction, now)
  })
}
