import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '#platform/server/config.ts'
import { type AnalysisServices, analyseOnDemand, analyseUpload, giveUpAnalysis } from './analyse-media.ts'
import { removeClaims } from './claims.ts'
import { retryWithoutModels } from './failures.ts'
import { learnMeanings } from './likeness/meanings.ts'
import { applyReview, giveUpApplying } from './runs/apply-review.ts'
import { giveUpRun, workOnRun } from './runs/runs.ts'
import { removeOldRuns } from './runs/tidy-store.ts'

const keptRunsMs = 30 * 24 * 3600_000

type MediaPayload = { mediaId: number }
type RunPayload = { runId: string }
type Services = AnalysisServices & { log: FastifyBaseLogger; config: Pick<Config, 'databaseUrl'> }

export async function workOnAnalyses(services: Services) {
  const { jobs, ai, db, config } = services
  ai.prepareModels()
  // SQLite has one process at a time: what the last one claimed when it died is free.
  if (!config.databaseUrl) await removeClaims(db)
  // Two at once: while one picture is looked at, the next is made ready.
  const onGivenUp = (payload: MediaPayload) => giveUpAnalysis(services, payload)
  jobs.work<MediaPayload>('analyze-media', { concurrency: 2, onGivenUp }, (payload, job) =>
    analyseUpload(services, payload, job),
  )
  jobs.work<MediaPayload>('analyze-now', { concurrency: 4, onGivenUp }, (payload, job) =>
    analyseOnDemand(services, payload, job),
  )
  const tagging = { concurrency: 2, onGivenUp: (payload: RunPayload) => giveUpRun(services, payload) }
  jobs.work<RunPayload>('ai-tag-run', tagging, (payload, job) => workOnRun(services, payload, job))
  const applying = { concurrency: 2, onGivenUp: (payload: RunPayload) => giveUpApplying(services, payload) }
  jobs.work<RunPayload>('ai-apply-run', applying, (payload, job) => applyReview(services, payload, job))
  jobs.work('learn-meanings', { concurrency: 1 }, async (_payload, { signal }) => {
    await ai.refreshModels()
    if (ai.models.state !== 'ready') return
    await retryWithoutModels(db, jobs)
    await learnMeanings(services, signal)
  })
  jobs.work('tidy-analyses', { concurrency: 1 }, () => removeOldRuns(db, keptRunsMs))
  await jobs.schedule('learn-meanings', '* * * * *')
  await jobs.schedule('tidy-analyses', '41 4 * * *')
}
