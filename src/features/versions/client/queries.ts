import { queryOptions } from '@tanstack/react-query'
import { mediaQueries } from '#features/media/client/queries.ts'
import { call } from '#platform/client/call.ts'
import type { versionsApi } from '../contract.ts'

export const versionQueries = {
  /** Below the key of media, so that every change of the item loads them again. */
  of: (id: number) =>
    queryOptions({
      queryKey: [...mediaQueries.all(), 'versions', id],
      queryFn: ({ signal }) =>
        call<typeof versionsApi.list>('GET /api/media/:id/versions', { params: { id } }, { signal }),
    }),
}
