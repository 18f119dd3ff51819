import { enqueueAnalysis } from '#features/analysis/server/enqueue-analysis.ts'
import { forgetFindings } from '#features/analysis/server/forget-findings.ts'
import { updateMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'

/**
 * What the AI found in the replaced file does not describe the new one. An item that was analyzed is analyzed again; for a
 * file that was analyzed before, the stored result is used.
 */
export async function analyzeAgain(jobs: Jobs, transaction: Db, media: MediaRow) {
  await forgetFindings(transaction, media)
  if (media.ai_status === 'none') return
  await updateMedia(transaction, media.id, { ai_status: 'waiting' })
  await enqueueAnalysis(jobs, transaction, media)
}
