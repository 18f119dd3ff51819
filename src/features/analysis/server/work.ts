import type { FastifyBaseLogger } from 'fastify'
import { historyMs } from '#features/media/server/history.ts'
import type { Config } from '#platform/server/config.ts'
import { workOnRuns } from '#platform/server/runs/runs.ts'
import { removeOldRuns } from '#platform/server/runs/runs-store.ts'
import { applyAltTextRuns } from './alt-texts/alt-text-suggestions.ts'
import { altTextRuns } from './alt-texts/write-many.ts'
import { type AnalysisServices, analyzeOnDemand, analyzeUpload, giveUpAnalysis } from './analyze-media.ts'
import { removeClaims } from './claims.ts'
import { retryWithoutModels } from './failures.ts'
import { reanalyzeKind, reanalyzeLibrary } from './hub/reanalyze.ts'
import { giveUpSetUp, setUpKind, workOnSetUp } from './hub/set-up.ts'
import { learnMeanings } from './likeness/meanings.ts'
import { runKinds } from './runs/runs.ts'
import { tagRuns } from './runs/tag-many.ts'
import { applyRuns } from './runs/tag-suggestions.ts'

type MediaPayload = { mediaId: number }
type Services = AnalysisServices & { log: FastifyBaseLogger; config: Pick<Config, 'databaseUrl'> }

export async function workOnAnalyses(services: Services) {
  const { jobs, ai, db, config } = services
  ai.prepareModels()
  // SQLite allows one process at a time, so claims left by a crashed process are stale.
  if (!config.databaseUrl) await removeClaims(db)
  // Two at once: while one picture is analyzed, the next is decoded.
  const onGivenUp = (payload: MediaPayload) => giveUpAnalysis(services, payload)
  jobs.work<MediaPayload>('analyze-media', { concurrency: 2, onGivenUp }, (payload, job) =>
    analyzeUpload(services, payload, job),
  )
  jobs.work<MediaPayload>('analyze-now', { concurrency: 4, onGivenUp }, (payload, job) =>
    analyzeOnDemand(services, payload, job),
  )
  await workOnHub(services)
  workOnRuns(services, tagRuns(services))
  workOnRuns(services, applyRuns(services))
  workOnRuns(services, altTextRuns(services))
  workOnRuns(services, applyAltTextRuns(services))
  jobs.work('learn-meanings', { concurrency: 1 }, async (_payload, { signal }) => {
    await ai.refreshModels()
    if (ai.models.state !== 'ready') return
    await retryWithoutModels(db, jobs)
    await learnMeanings(services, signal)
  })
  jobs.work('tidy-analyses', { concurrency: 1 }, () =>
    // A run with suggestions is kept until they are reviewed.
    removeOldRuns(db, { kinds: runKinds, updatedBefore: Date.now() - historyMs, except: 'found' }),
  )
  await jobs.schedule('learn-meanings', '* * * * *')
  await jobs.schedule('tidy-analyses', '41 4 * * *')
}

async function workOnHub(services: Services) {
  const { jobs, ai } = services
  await ai.hub.refresh()
  jobs.work<Parameters<typeof workOnSetUp>[1]>(
    setUpKind,
    { concurrency: 1, onGivenUp: (payload) => giveUpSetUp(services, payload) },
    (payload, job) => workOnSetUp(services, payload, job),
  )
  jobs.work(reanalyzeKind, { concurrency: 1 }, () => reanalyzeLibrary(services))
}
