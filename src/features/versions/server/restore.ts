import { enqueueAnalysis } from '#features/analysis/server/enqueue-analysis.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { lockItem } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { isCurrent, loadVersion, returnToVersion, showsTheSame } from '#features/media/server/versions.ts'
import { enqueueVideoWork } from '#features/media/server/video-work.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { analyzeAgain } from './analyze-again.ts'

/** Repeating the request changes nothing. */
export async function restoreVersion(
  { db, jobs, events }: Pick<IngestServices, 'db' | 'jobs' | 'events'>,
  media: Owned<MediaRow>,
  versionId: number,
): Promise<MediaRow> {
  const restored = await db.transaction().execute(async (transaction) => {
    const before = await lockItem(transaction, media)
    const version = await loadVersion(transaction, before, versionId)
    if (isCurrent(version)) return before
    const after = await returnToVersion(transaction, before, version)
    if (!showsTheSame(before, version)) await analyzeAgain(jobs, transaction, after)
    // An analysis in progress read the other file and ends without a result.
    else if (after.ai_status === 'waiting') await enqueueAnalysis(jobs, transaction, after)
    await indexMedia(transaction, [media.id])
    await enqueueVideoWork(jobs, transaction, after)
    return after
  })
  await announceMedia(events, media.owner_id, [media.id])
  return restored
}
