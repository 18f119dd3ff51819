import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, causeOf, connectionProblem, messageOf } from '#platform/client/call.ts'
import { urlOf } from '#platform/url-of.ts'
import { countOf } from '#shared/count.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import { saveFile } from '#ui/save-file.ts'
import type { BackupFrequency, backupsApi, RestoredCounts } from '../contract.ts'
import { backupQueries } from './queries.ts'
import { reloadAfterMs } from './restore-flow.ts'
import { NoAnswer, useSending } from './use-sending.ts'

const mayComeYet = 'No response. Check the list before retrying.'

export function useCreateBackup() {
  const queryClient = useQueryClient()
  return useMutation({
    /** Takes the known ids: once the list has another one, the new backup is complete. */
    mutationFn: (_knownIds: readonly string[]) => call<typeof backupsApi.create>('POST /api/admin/backups/create'),
    onSuccess: ({ message, backup }) => {
      // The server responds within a few minutes, even if the backup is not complete.
      if (backup)
        toast({ title: 'Backup Created', description: message, tone: backup.missingCount ? 'neutral' : 'success' })
      else toast({ title: 'Backup in progress', description: message })
      return queryClient.invalidateQueries({ queryKey: backupQueries.all() })
    },
    onError: (error) => toastError('Backup Failed', 'Failed to create backup', messageOf(error, mayComeYet)),
  })
}

export function useSetFrequency() {
  const queryClient = useQueryClient()
  return useMutation({
    // One at a time, so that the last choice wins.
    scope: { id: 'backup-frequency' },
    mutationFn: (frequency: BackupFrequency) =>
      call<typeof backupsApi.setFrequency>('POST /api/admin/backup-frequency', { body: { frequency } }),
    onSuccess: ({ message }) => {
      toastSuccess('Frequency Updated', message)
      return queryClient.invalidateQueries({ queryKey: backupQueries.frequency().queryKey })
    },
    onError: (error) => toastError('Update Failed', 'Failed to update backup frequency', causeOf(error)),
  })
}

export function useDeleteBackup() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call<typeof backupsApi.remove>('DELETE /api/admin/backups/:id', { params: { id } }),
    onSuccess: ({ message }) => {
      toastSuccess('Backup Deleted', message)
      return queryClient.invalidateQueries({ queryKey: backupQueries.all() })
    },
    onError: (error) => {
      toastError('Delete Failed', 'Failed to delete backup', causeOf(error))
      // It may have been deleted although the response failed, or by another administrator.
      void queryClient.invalidateQueries({ queryKey: backupQueries.all() })
    },
  })
}

export function useDownloadAll() {
  return useMutation({
    mutationFn: async () => {
      await call<typeof backupsApi.prepareAll>('POST /api/admin/backup/prepare')
      saveFile(urlOf<typeof backupsApi.downloadAll>('/api/admin/backup/download'))
    },
    onSuccess: () => toast({ title: 'Download started', description: 'Your browser is saving the complete backup.' }),
    onError: (error) =>
      toastError('Failed to download complete backup', messageOf(error, 'Download failed'), connectionProblem(error)),
  })
}

export type UploadAll = ReturnType<typeof useUploadAll>

/** Everything on the page is from the old library, so the page is reloaded. */
export function useUploadAll() {
  const { samples, send } = useSending<typeof backupsApi.uploadAll>('POST /api/admin/backup/upload', 'backup')
  const upload = useMutation({
    mutationFn: send,
    onSuccess: ({ restored, missingFiles, healedFiles }) => {
      const lost =
        missingFiles > 0 ? ` ${countOf(missingFiles, 'file was', 'files were')} missing; their items are marked.` : ''
      const healed =
        healedFiles > 0 ? ` ${countOf(healedFiles, 'damaged file was', 'damaged files were')} replaced.` : ''
      toastSuccess('Complete backup restored', `${inWords(restored)} were restored.${healed}${lost}`)
      setTimeout(() => window.location.reload(), reloadAfterMs)
    },
    onError: (error) => {
      if (error instanceof NoAnswer) toastError('Restore Status Unknown', error.advice)
      else toastError('Failed to restore complete backup', messageOf(error, 'Upload failed'), connectionProblem(error))
    },
  })
  return { ...upload, samples }
}

const inWords = ({ users, media, collections }: RestoredCounts) =>
  `${countOf(users, 'user')}, ${countOf(media, 'item')} and ${countOf(collections, 'collection')}`
