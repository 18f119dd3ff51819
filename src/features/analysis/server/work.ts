import type { FastifyBaseLogger } from 'fastify'
import { type AnalysisServices, analyseOnDemand, analyseUpload } from './analyse-media.ts'
import { retryWithoutModels } from './failures.ts'
import { learnMeanings } from './meanings.ts'
import { workOnRun } from './runs.ts'
import { removeOldRuns } from './runs-store.ts'

const keptRunsMs = 30 * 24 * 3600_000

type Services = AnalysisServices & { log: FastifyBaseLogger }

export async function workOnAnalyses(services: Services) {
  const { jobs, ai, db } = services
  ai.prepareModels()
  // Two at once: while one picture is looked at, the next is made ready.
  jobs.work<{ mediaId: number }>('analyse-media', { concurrency: 2 }, (payload, job) =>
    analyseUpload(services, payload, job),
  )
  jobs.work<{ mediaId: number }>('analyse-now', { concurrency: 4 }, (payload, job) =>
    analyseOnDemand(services, payload, job),
  )
  jobs.work<{ runId: string }>('ai-tag-run', { concurrency: 2 }, (payload, job) => workOnRun(services, payload, job))
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
