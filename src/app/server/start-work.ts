import { workOnAnalyses } from '#features/analysis/server/work.ts'
import { workOnAudits } from '#features/audit/server/audits.ts'
import { workOnAccounts } from '#features/auth/server/work.ts'
import { workOnBackups } from '#features/backups/server/work.ts'
import { conversions } from '#features/bulk-actions/server/bulk-convert.ts'
import { backgroundRemovals } from '#features/bulk-actions/server/bulk-remove-background.ts'
import { workOnItemRuns } from '#features/bulk-actions/server/item-runs.ts'
import { workOnImageKit } from '#features/imagekit/server/work.ts'
import { workOnChecks } from '#features/media/server/check-files.ts'
import { workOnDerivedLimit } from '#features/media/server/derived-limit.ts'
import { workOnPreviews } from '#features/media/server/files/conversion-preview.ts'
import { workAsJanitor } from '#features/media/server/janitor.ts'
import { workOnSearch } from '#features/media/server/listing/rebuild-search.ts'
import { workOnVideos } from '#features/media/server/video-work.ts'
import { workOnScrapes } from '#features/scraper/server/runs.ts'
import { tagRuns } from '#features/tags/server/tag-runs.ts'
import type { Services } from './services.ts'

/** Registers the handlers of all jobs, then starts the queue; a web process leaves jobs to the workers. */
export async function startWork(services: Services) {
  const { jobs, config, ai } = services
  if (config.role === 'web') {
    // A search needs its text embedding while the user waits.
    ai.prepareModels()
    return
  }
  await workOnAccounts(services)
  await workOnSearch(services)
  workOnVideos(services)
  workOnPreviews(services)
  await workOnAnalyses(services)
  await workOnItemRuns(services, [conversions(services), backgroundRemovals(services), tagRuns(services)])
  await workOnScrapes(services)
  await workOnAudits(services)
  await workAsJanitor(services)
  await workOnDerivedLimit(services)
  workOnChecks(services)
  await workOnBackups(services)
  await workOnImageKit(services)
  await jobs.start()
}
