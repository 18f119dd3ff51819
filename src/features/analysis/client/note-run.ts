import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { AiRun } from '../contract.ts'
import { analysisQueries } from './queries.ts'

/** Whoever watches the run sees how far it is; one that is over may wait for a review, or no longer. */
export function noteRun(queryClient: QueryClient, run: AiRun) {
  // What is told says less than an answer; where none has come yet, it is all that is known.
  // Whatever moves is in no pause.
  const queryKey: QueryKey = analysisQueries.run(run.runId, true).queryKey
  queryClient.setQueryData(queryKey, (known: object | undefined) => ({ ...known, ...run, pause: null }))
  if (run.status === 'running') return
  const stale = [analysisQueries.reviews().queryKey, analysisQueries.allPages(), analysisQueries.allRuns()]
  for (const each of stale) void queryClient.invalidateQueries({ queryKey: each })
}
