import { queryOptions } from '@tanstack/react-query'
import { mediaQueries } from '#features/media/client/queries.ts'
import { call } from '#platform/client/call.ts'
import type { firstStepsApi } from '../contract.ts'

/** Refreshed whenever items change, like all queries of media. */
export const sampleCountQuery = () =>
  queryOptions({
    queryKey: [...mediaQueries.all(), 'samples'],
    queryFn: async ({ signal }) =>
      (await call<typeof firstStepsApi.countSamples>('GET /api/sample-pictures', undefined, { signal })).count,
  })
