import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { RunProgress } from '#platform/runs.ts'
import type { AltTextRequest, analysisApi } from '../contract.ts'

const groupsPerPage = 20

export const analysisQueries = {
  /** The key begins with "media", so that every change of items refreshes it too. */
  duplicates: () =>
    infiniteQueryOptions({
      queryKey: ['media', 'duplicates'],
      queryFn: ({ pageParam, signal }) =>
        call<typeof analysisApi.duplicates>(
          'GET /api/media/duplicates',
          { query: { limit: groupsPerPage, before: pageParam } },
          { signal },
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next }) => next ?? undefined,
    }),
  /** The key begins with "media", so that a new copy appears. */
  pictureVersions: (id: number) =>
    queryOptions({
      queryKey: ['media', 'picture-versions', id],
      queryFn: async ({ signal }) =>
        (
          await call<typeof analysisApi.pictureVersions>(
            'GET /api/media/:id/picture-versions',
            { params: { id } },
            { signal },
          )
        ).media,
    }),
  reviews: () =>
    queryOptions({
      queryKey: ['ai-reviews'],
      queryFn: ({ signal }) => call<typeof analysisApi.reviews>('GET /api/ai-reviews', undefined, { signal }),
    }),
  /** The key of every page of every review. */
  allPages: () => ['ai-review'] as const,
  review: (runId: string, page: number) =>
    queryOptions({
      queryKey: [...analysisQueries.allPages(), runId, page],
      queryFn: ({ signal }) =>
        call<typeof analysisApi.review>(
          'GET /api/ai-reviews/:runId',
          { params: { runId }, query: { page } },
          { signal },
        ),
      placeholderData: keepPreviousData,
      // A finished review stays finished, so a retry would not help.
      retry: false,
    }),
  estimate: (mediaIds: readonly number[], websiteId?: number) =>
    queryOptions({
      queryKey: ['ai-estimate', mediaIds, websiteId],
      queryFn: ({ signal }) =>
        call<typeof analysisApi.estimate>(
          'POST /api/media/bulk-ai-tag/estimate',
          { body: { mediaIds: [...mediaIds], websiteId } },
          { signal },
        ),
      placeholderData: keepPreviousData,
      // Without an AI there is nothing to estimate, so a retry would not help.
      retry: false,
    }),
  altTextEstimate: (request: AltTextRequest) =>
    queryOptions({
      queryKey: ['alt-text-estimate', request],
      queryFn: ({ signal }) =>
        call<typeof analysisApi.estimateAltTexts>(
          'POST /api/media/bulk-alt-text/estimate',
          { body: request },
          { signal },
        ),
      enabled: request.languages.length > 0,
      placeholderData: keepPreviousData,
      retry: false,
    }),
  /** The key for every limit. */
  allRuns: () => ['ai-runs'] as const,
  runs: (limit: number) =>
    queryOptions({
      queryKey: [...analysisQueries.allRuns(), limit],
      queryFn: ({ signal }) => call<typeof analysisApi.runs>('GET /api/ai-runs', { query: { limit } }, { signal }),
      placeholderData: keepPreviousData,
    }),
}

/** Fails until the run exists, as the page may ask before the request that starts the run has arrived. */
export async function askForProgress(runId: string, signal?: AbortSignal): Promise<RunProgress> {
  const path = 'GET /api/ai-runs/:runId'
  const run = await call<typeof analysisApi.run>(path, { params: { runId } }, { signal })
  const { status, successful, failed, total, pause } = run
  return { runId, isRunning: status === 'running', done: successful + failed, failed, total, pause }
}

export const refreshRuns = (queryClient: QueryClient) =>
  Promise.all(
    [analysisQueries.reviews().queryKey, analysisQueries.allRuns()].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )

/** A run that has ended may have started or finished waiting for a review. */
export const refreshAfterRun = (queryClient: QueryClient) =>
  Promise.all([refreshRuns(queryClient), queryClient.invalidateQueries({ queryKey: analysisQueries.allPages() })])
