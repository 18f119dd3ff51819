import { workOnIntegrity } from '#features/admin/server/integrity.ts'
import { workOnAnalyses } from '#features/analysis/server/work.ts'
import { removeExpiredSessions } from '#features/auth/server/sessions.ts'
import { workOnBackups } from '#features/backups/server/work.ts'
import { workOnBulk } from '#features/bulk-actions/server/bulk-work.ts'
import { workOnImageKit } from '#features/imagekit/server/work.ts'
import { workOnPreviews } from '#features/media/server/files/conversion-preview.ts'
import { workAsJanitor } from '#features/media/server/janitor.ts'
import { workOnVideos } from '#features/media/server/video-work.ts'
import { workOnScrapes } from '#features/scraper/server/run-work.ts'
import { removeOldAttempts } from '#platform/server/attempts.ts'
import type { Services } from './services.ts'

/** Names the handlers of all background work, then lets the queue begin; a web process leaves it to the workers. */
export async function startWork(services: Services) {
  const { jobs, db, config, ai } = services
  if (config.role === 'web') {
    // What a search means is found out while the person waits.
    ai.prepareModels()
    return
  }
  jobs.work('tidy-accounts', { concurrency: 1 }, async () => {
    await removeExpiredSessions(db)
    await removeOldAttempts(db)
  })
  await jobs.schedule('tidy-accounts', '17 * * * *')
  workOnVideos(services)
  workOnPreviews(services)
  await workOnAnalyses(services)
  await workOnBulk(services)
  await workOnScrapes(services)
  await workAsJanitor(services)
  workOnIntegrity(services)
  await workOnBackups(services)
  await workOnImageKit(services)
  await jobs.start()
}
