import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { AiState, adminApi } from '../contract.ts'

/** The polling interval while a job runs. */
const whileRunningMs = 2000

export const adminQueries = {
  all: () => ['admin'] as const,
  stats: () =>
    queryOptions({
      queryKey: ['admin', 'stats'] as const,
      queryFn: ({ signal }) => call<typeof adminApi.stats>('GET /api/admin/stats', undefined, { signal }),
    }),
  storageHistory: () =>
    queryOptions({
      queryKey: ['admin', 'storage-history'] as const,
      queryFn: ({ signal }) =>
        call<typeof adminApi.storageHistory>('GET /api/admin/storage-history', undefined, { signal }),
    }),
  users: () =>
    queryOptions({
      queryKey: ['admin', 'users'] as const,
      queryFn: ({ signal }) => call<typeof adminApi.users>('GET /api/admin/users', undefined, { signal }),
    }),
  jobs: () =>
    queryOptions({
      queryKey: ['admin', 'jobs'] as const,
      queryFn: ({ signal }) => call<typeof adminApi.jobs>('GET /api/admin/jobs', undefined, { signal }),
    }),
  ai: () =>
    queryOptions({
      queryKey: ['admin', 'ai'] as const,
      queryFn: ({ signal }) => call<typeof adminApi.ai>('GET /api/admin/ai', undefined, { signal }),
      refetchInterval: ({ state }) => (isAiBusy(state.data) ? whileRunningMs : false),
    }),
  system: () =>
    queryOptions({
      queryKey: ['admin', 'system'] as const,
      queryFn: ({ signal }) => call<typeof adminApi.system>('GET /api/admin/system', undefined, { signal }),
      refetchInterval: ({ state }) => (state.data?.integrity.isRunning ? whileRunningMs : false),
    }),
}

const isAiBusy = (ai: AiState | undefined) =>
  ai !== undefined &&
  (ai.queue.active + ai.queue.waiting > 0 ||
    ai.models.state === 'installing' ||
    ai.hub.some(({ phase }) => ['waiting', 'downloading', 'examining'].includes(phase)))
