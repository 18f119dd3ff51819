import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { imageKitApi } from '../contract.ts'

export const whileRunningMs = 1000

export const imageKitQueries = {
  state: () =>
    queryOptions({
      queryKey: ['imagekit'] as const,
      queryFn: ({ signal }) =>
        call<typeof imageKitApi.state>('GET /api/admin/migrate-to-imagekit', undefined, { signal }),
      refetchInterval: ({ state }) => (state.data?.isRunning ? whileRunningMs : false),
    }),
}
