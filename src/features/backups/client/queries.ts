import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import { backupsApi } from '../contract.ts'
import { pollAfterMs } from './restore-flow.ts'

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
  /** Of a restore that another call waits for: that call tells how it ends, so a fault here is passed over. */
  progress: () =>
    queryOptions({
      queryKey: ['backups', 'progress'] as const,
      queryFn: ({ signal }) => call(backupsApi.restoreProgress, undefined, { signal }).catch(() => null),
      refetchInterval: pollAfterMs,
      gcTime: 0,
    }),
  /** Whether one runs that this page does not wait for; asked for again only while it does. */
  underWay: () =>
    queryOptions({
      queryKey: ['backups', 'under-way'] as const,
      queryFn: ({ signal }) => call(backupsApi.restoreProgress, undefined, { signal }),
      refetchInterval: ({ state: { data } }) => (data?.isRestoring ? pollAfterMs : false),
      gcTime: 0,
    }),
  preview: (id: string) =>
    queryOptions({
      queryKey: ['backups', 'preview', id] as const,
      queryFn: ({ signal }) => call(backupsApi.preview, { params: { id } }, { signal }),
    }),
}
