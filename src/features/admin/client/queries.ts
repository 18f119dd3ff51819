import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import { type AiState, adminApi } from '../contract.ts'

/** While something runs, its numbers are asked for again. */
const whileRunningMs = 2000

export const adminQueries = {
  all: () => ['admin'] as const,
  stats: () =>
    queryOptions({
      queryKey: ['admin', 'stats'] as const,
      queryFn: ({ signal }) => call(adminApi.stats, undefined, { signal }),
    }),
  storageHistory: () =>
    queryOptions({
      queryKey: ['admin', 'storage-history'] as const,
      queryFn: ({ signal }) => call(adminApi.storageHistory, undefined, { signal }),
    }),
  users: () =>
    queryOptions({
      queryKey: ['admin', 'users'] as const,
      queryFn: ({ signal }) => call(adminApi.users, undefined, { signal }),
    }),
  jobs: () =>
    queryOptions({
      queryKey: ['admin', 'jobs'] as const,
      queryFn: ({ signal }) => call(adminApi.jobs, undefined, { signal }),
    }),
  ai: () =>
    queryOptions({
      queryKey: ['admin', 'ai'] as const,
      queryFn: ({ signal }) => call(adminApi.ai, undefined, { signal }),
      refetchInterval: ({ state }) => (isAiBusy(state.data) ? whileRunningMs : false),
    }),
  system: () =>
    queryOptions({
      queryKey: ['admin', 'system'] as const,
      queryFn: ({ signal }) => call(adminApi.system, undefined, { signal }),
      refetchInterval: ({ state }) => (state.data?.integrity.isRunning ? whileRunningMs : false),
    }),
}

const isAiBusy = (ai: AiState | undefined) =>
  ai !== undefined && (ai.queue.active + ai.queue.waiting > 0 || ai.models.state === 'installing')
