import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query'
import type { RunProgress } from '#platform/runs.ts'

/** Live events report the progress; a page that can ask for it does so when no event has come for this long. */
const silenceMs = 5000

const progressKey = (runId: string | undefined) => ['run-progress', runId]

export function noteProgress(queryClient: QueryClient, progress: RunProgress) {
  queryClient.setQueryData(progressKey(progress.runId), progress)
}

export const findProgress = (queryClient: QueryClient, runId: string) =>
  queryClient.getQueryData<RunProgress>(progressKey(runId))

/** Undefined until the first event or answer; `ask` is for runs that may outlast the request that started them. */
export function useRunProgress(runId: string | undefined, ask?: (signal: AbortSignal) => Promise<RunProgress>) {
  const { data } = useQuery({
    queryKey: progressKey(runId),
    queryFn: ask ? ({ signal }) => ask(signal) : skipToken,
    refetchInterval: silenceMs,
    retry: false,
  })
  return data
}

/** Resolves at the event that the run has ended, and at the latest after `withinMs`. */
export async function untilRunEnds(queryClient: QueryClient, runId: string, withinMs: number) {
  const hasEnded = () => findProgress(queryClient, runId)?.isRunning === false
  if (hasEnded()) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timeout = setTimeout(resolve, withinMs)
  const unsubscribe = queryClient.getQueryCache().subscribe(() => hasEnded() && resolve())
  await promise
  clearTimeout(timeout)
  unsubscribe()
}
