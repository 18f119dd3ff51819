import type { QueryClient } from '@tanstack/react-query'
import { ApiError, call } from '#platform/client/call.ts'
import type { analysisApi } from '../contract.ts'
import { analysisQueries } from './queries.ts'

/** When no live event tells that the run is over, it is asked for. */
const silenceMs = 10_000

/** The server answers before the end of a long run; whoever began it still wants to know how it ended. */
export async function followRun(queryClient: QueryClient, runId: string) {
  for (;;) {
    await eventOrSilence(queryClient, runId)
    const answer = await call<typeof analysisApi.run>('GET /api/ai-runs/:runId', { params: { runId } }).catch(
      unlessAway,
    )
    if (!answer) await new Promise((resolve) => setTimeout(resolve, silenceMs))
    if (!answer || answer.status === 'running') continue
    const { message, errors, pause: _pause, ...run } = answer
    return { message, errors, run }
  }
}

/** A line may be cut while the server is at work: the run is asked for before it is called failed. */
export async function mayHaveBegun(queryClient: QueryClient, runId: string, error: unknown) {
  unlessAway(error)
  // Not by its query, whose question may be older than the run, and is given up when the dialog closes.
  const answer = await call<typeof analysisApi.run>('GET /api/ai-runs/:runId', { params: { runId } }).catch(
    () => undefined,
  )
  if (!answer && !queryClient.getQueryData(analysisQueries.run(runId, true).queryKey)) throw error
}

/** A server that starts anew goes on with the run; a refusal is an end. */
function unlessAway(error: unknown) {
  if (error instanceof ApiError && error.status < 500) throw error
  return undefined
}

/** Live events write how far a run is into its query; see `noteRun`. */
function eventOrSilence(queryClient: QueryClient, runId: string) {
  const isOver = () => {
    const status = queryClient.getQueryData(analysisQueries.run(runId, true).queryKey)?.status
    return status !== undefined && status !== 'running'
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  if (isOver()) return
  const silence = setTimeout(resolve, silenceMs)
  const unsubscribe = queryClient.getQueryCache().subscribe(() => isOver() && resolve())
  return promise.finally(() => {
    clearTimeout(silence)
    unsubscribe()
  })
}
