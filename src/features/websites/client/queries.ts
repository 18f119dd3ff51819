import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { websitesApi } from '../contract.ts'

export const websiteQueries = {
  list: () =>
    queryOptions({
      queryKey: ['websites'],
      queryFn: ({ signal }) => call<typeof websitesApi.list>('GET /api/websites', undefined, { signal }),
    }),
}
