import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import { analysisApi } from '../contract.ts'

/** A run is asked for this often while somebody watches it. */
const watchEveryMs = 1000

export const analysisQueries = {
  /** Under "media", so that whatever changes items refreshes it too. */
  similar: (id: number) =>
    queryOptions({
      queryKey: ['media', 'similar', id],
      queryFn: ({ signal }) => call(analysisApi.similar, { params: { id }, query: {} }, { signal }),
    }),
  duplicates: () =>
    queryOptions({
      queryKey: ['media', 'duplicates'],
      queryFn: ({ signal }) => call(analysisApi.duplicates, { query: {} }, { signal }),
    }),
  estimate: (mediaIds: readonly number[]) =>
    queryOptions({
      queryKey: ['ai-estimate', mediaIds],
      queryFn: ({ signal }) => call(analysisApi.estimate, { body: { mediaIds: [...mediaIds] } }, { signal }),
      // Without an AI there is nothing to estimate, however often it is asked.
      retry: false,
    }),
  /** The progress of a run that this page began; the first answers may come before the run exists. */
  run: (runId: string, isWatched: boolean) =>
    queryOptions({
      queryKey: ['ai-run', runId],
      queryFn: ({ signal }) => call(analysisApi.run, { params: { runId } }, { signal }),
      enabled: isWatched,
      refetchInterval: watchEveryMs,
      retry: false,
    }),
}
