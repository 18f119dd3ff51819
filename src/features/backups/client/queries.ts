import { queryOptions } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { backupsApi } from '../contract.ts'
import { pollAfterMs } from './restore-flow.ts'

export const backupQueries = {
  all: () => ['backups'] as const,
  list: () =>
    queryOptions({
      queryKey: ['backups', 'list'] as const,
      queryFn: ({ signal }) => call<typeof backupsApi.list>('GET /api/admin/backups', undefined, { signal }),
    }),
  frequency: () =>
    queryOptions({
      queryKey: ['backups', 'frequency'] as const,
      queryFn: ({ signal }) =>
        call<typeof backupsApi.frequency>('GET /api/admin/backup-frequency', undefined, { signal }),
    }),
  frequencies: () =>
    queryOptions({
      queryKey: ['backups', 'frequencies'] as const,
      queryFn: ({ signal }) =>
        call<typeof backupsApi.frequencies>('GET /api/admin/backup-frequencies', undefined, { signal }),
    }),
  /** The progress of a restore whose request is still open; that request reports errors, so they are ignored here. */
  progress: () =>
    queryOptions({
      queryKey: ['backups', 'progress'] as const,
      queryFn: ({ signal }) =>
        call<typeof backupsApi.restoreProgress>('GET /api/admin/backups/restore-progress', undefined, { signal }).catch(
          () => null,
        ),
      refetchInterval: pollAfterMs,
      gcTime: 0,
    }),
  /** A restore that this page did not start; polled only while it runs. */
  running: () =>
    queryOptions({
      queryKey: ['backups', 'under-way'] as const,
      queryFn: ({ signal }) =>
        call<typeof backupsApi.restoreProgress>('GET /api/admin/backups/restore-progress', undefined, { signal }),
      refetchInterval: ({ state: { data } }) => (data?.isRestoring ? pollAfterMs : false),
      gcTime: 0,
    }),
  preview: (id: string) =>
    queryOptions({
      queryKey: ['backups', 'preview', id] as const,
      queryFn: ({ signal }) =>
        call<typeof backupsApi.preview>('GET /api/admin/backups/:id/preview', { params: { id } }, { signal }),
    }),
}
