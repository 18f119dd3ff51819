import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Media } from '#features/media/contract.ts'
import { call } from '#platform/client/call.ts'
import type { conversionApi } from '../contract.ts'

export const conversionQueries = {
  /** The image at this quality. The same bytes always give the same preview, so it is never stale. */
  preview: ({ id, originalUrl }: Media, quality: number) =>
    queryOptions({
      queryKey: ['webp-preview', originalUrl, quality] as const,
      queryFn: ({ signal }) =>
        call<typeof conversionApi.previewWebp>(
          'GET /api/media/:id/webp-preview',
          { params: { id }, query: { quality } },
          { signal },
        ),
      staleTime: Number.POSITIVE_INFINITY,
      // The previous preview stays visible until the next one has loaded.
      placeholderData: keepPreviousData,
    }),
}
