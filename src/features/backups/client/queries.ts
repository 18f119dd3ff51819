import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import { backupsApi } from '../contract.ts'

export const backupQueries = {
  all: () => ['backups'] as const,
  list: () =>
    queryOptions({
      queryKey: ['backups', 'list'] as const,
      queryFn: ({ signal }) => call(backupsApi.list, undefined, { signal }),
    }),
  frequency: () =>
    queryOptions({
      queryKey: ['backups', 'frequency'] as const,
      queryFn: ({ signal }) => call(backupsApi.frequency, undefined, { signal }),
    }),
  frequencies: () =>
    queryOptions({
      queryKey: ['backups', 'frequencies'] as const,
      queryFn: ({ signal }) => call(backupsApi.frequencies, undefined, { signal }),
    }),
  preview: (id: string) =>
    queryOptions({
      queryKey: ['backups', 'preview', id] as const,
      queryFn: ({ signal }) => call(backupsApi.preview, { params: { id } }, { signal }),
    }),
}
