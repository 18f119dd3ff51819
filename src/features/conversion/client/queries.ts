import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Media } from '#features/media/contract.ts'
import { call } from '#platform/client/call.ts'
import { conversionApi } from '../contract.ts'

export const conversionQueries = {
  /** A picture as it would be at this quality. The same bytes give the same answer, so it is asked for once. */
  preview: ({ id, originalUrl }: Media, quality: number) =>
    queryOptions({
      queryKey: ['webp-preview', originalUrl, quality] as const,
      queryFn: ({ signal }) => call(conversionApi.previewWebp, { params: { id }, query: { quality } }, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
      // The last one stays on the screen until the next one is there.
      placeholderData: keepPreviousData,
    }),
}
