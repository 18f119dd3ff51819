import type { QueryClient } from '@tanstack/react-query'
import { ApiError, call } from '#platform/client/call.ts'
import { findProgress, untilRunEnds } from '#platform/client/run-progress.ts'
import type { analysisApi } from '../contract.ts'

/** After this time without the event that the run has ended, the server is asked. */
const silenceMs = 10_000

const loadRun = (runId: string) => call<typeof analysisApi.run>('GET /api/ai-runs/:runId', { params: { runId } })

/** The server answers before the end of a long run, and the page still reports how it ended. */
export async function followRun(queryClient: QueryClient, runId: string) {
  for (;;) {
    await untilRunEnds(queryClient, runId, silenceMs)
    const answer = await loadRun(runId).catch(throwIfRefused)
    if (!answer) await new Promise((resolve) => setTimeout(resolve, silenceMs))
    if (!answer || answer.status === 'running') continue
    const { message, errors, pause: _pause, ...run } = answer
    return { message, errors, run }
  }
}

/** A connection may be cut while the server works, so the run counts as failed only if it does not exist. */
export async function throwUnlessBegun(queryClient: QueryClient, runId: string, error: unknown) {
  throwIfRefused(error)
  const answer = await loadRun(runId).catch(() => undefined)
  if (!answer && !findProgress(queryClient, runId)) throw error
}

/** A server that restarts goes on with the run, but a refusal is final. */
function throwIfRefused(error: unknown) {
  if (error instanceof ApiError && error.status < 500) throw error
  return undefined
}
