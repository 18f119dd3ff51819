import type { MediaRow } from '#features/media/server/to-media.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'

/** Queues the analysis of an item whose `ai_status` is "waiting". */
export async function enqueueAnalysis(jobs: Jobs, db: Db, { id, owner_id }: Pick<MediaRow, 'id' | 'owner_id'>) {
  await jobs.enqueue(db, 'analyze-media', { mediaId: id }, { key: String(id), ownerId: owner_id })
}
