import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { HubModelState } from '#features/analysis/contract.ts'
import type { Registration } from '#features/auth/contract.ts'
import { NoAnswer, useSending } from '#features/backups/client/use-sending.ts'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { AdminUser, adminApi } from '../contract.ts'
import { downloadFile } from './download-file.ts'
import { adminQueries } from './queries.ts'

function useOutcome() {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: adminQueries.all() })
  const fail = (title: string) => (error: Error) => {
    toastError(title, messageOf(error, 'Please try again.'), connectionProblem(error))
    // The change may have been made although the response failed, or by another administrator. A retry need not wait
    // for it.
    void refresh()
  }
  return { refresh, fail }
}

export function useAddUser() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: (draft: Registration) => call<typeof adminApi.addUser>('POST /api/admin/users', { body: draft }),
    onSuccess: ({ message }) => {
      toastSuccess('User added', message)
      return refresh()
    },
    onError: fail('Failed to add user'),
  })
}

export function useSetAdmin() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: ({ user, isAdmin }: { user: AdminUser; isAdmin: boolean }) =>
      call<typeof adminApi.setAdmin>('PATCH /api/admin/users/:userId/admin', {
        params: { userId: user.id },
        body: { isAdmin },
      }),
    onSuccess: ({ message }) => {
      toastSuccess('Admin status updated', message)
      return refresh()
    },
    onError: fail('Failed to update admin status'),
  })
}

export function useResetPassword() {
  return useMutation({
    mutationFn: ({ user, newPassword }: { user: AdminUser; newPassword: string }) =>
      call<typeof adminApi.resetPassword>('PATCH /api/admin/users/:userId/password', {
        params: { userId: user.id },
        body: { newPassword },
      }),
    onSuccess: ({ username }) => toastSuccess('Password updated', `${username} has a new password.`),
    onError: (error) =>
      toastError('Failed to update password', messageOf(error, 'Please try again.'), connectionProblem(error)),
  })
}

export function useDeleteUser() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: (user: AdminUser) =>
      call<typeof adminApi.deleteUser>('DELETE /api/admin/users/:userId', { params: { userId: user.id } }),
    onSuccess: ({ username }) => {
      toastSuccess('User deleted', `${username} was deleted with all media and collections.`)
      return refresh()
    },
    onError: fail('Failed to delete user'),
  })
}

export function useDownloadDatabase() {
  return useMutation({
    mutationFn: () => downloadFile<typeof adminApi.downloadDatabase>('GET /api/admin/database/download'),
    onSuccess: () => toast({ title: 'Download started', description: 'Your browser is saving the database.' }),
    onError: (error) =>
      toastError('Failed to download database', messageOf(error, 'Download failed'), connectionProblem(error)),
  })
}

export function useUploadDatabase() {
  const queryClient = useQueryClient()
  const { samples, send } = useSending<typeof adminApi.uploadDatabase>('POST /api/admin/database/upload', 'database')
  const upload = useMutation({
    mutationFn: send,
    onSuccess: ({ message }) => {
      toastSuccess('Database uploaded', message)
      return queryClient.invalidateQueries()
    },
    onError: (error) => {
      const advice = error instanceof NoAnswer ? error.advice : undefined
      toastError('Failed to upload database', messageOf(error, 'Upload failed'), advice)
    },
  })
  return { ...upload, samples }
}

export function useResetDatabase() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call<typeof adminApi.resetDatabase>('POST /api/admin/database/reset'),
    onSuccess: ({ message }) => {
      toastSuccess('Database reset', message)
      return queryClient.invalidateQueries()
    },
    onError: (error) =>
      toastError('Failed to reset database', messageOf(error, 'Please try again.'), connectionProblem(error)),
  })
}

export function useRetryJob() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: (id: number) => call<typeof adminApi.retryJob>('POST /api/admin/jobs/:id/retry', { params: { id } }),
    onSuccess: refresh,
    onError: fail('Failed to retry the job'),
  })
}

export function useDismissJob() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: (id: number) => call<typeof adminApi.dismissJob>('DELETE /api/admin/jobs/:id', { params: { id } }),
    onSuccess: refresh,
    onError: fail('Failed to dismiss the job'),
  })
}

export function useCheckIntegrity() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: () => call<typeof adminApi.checkIntegrity>('POST /api/admin/integrity-check'),
    onSuccess: refresh,
    onError: fail('Failed to start the check'),
  })
}

export function useCheckAi() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: () => call<typeof adminApi.checkAi>('POST /api/admin/ai/check'),
    onSuccess: refresh,
    onError: fail('Failed to check the AI'),
  })
}

export function useSetUpHubModel() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: (id: HubModelState['id']) =>
      call<typeof adminApi.setUpHubModel>('POST /api/admin/ai/hub-models/:id', { params: { id } }),
    onSuccess: refresh,
    onError: fail('Failed to set up the model'),
  })
}

export function useStopHubModel() {
  const { refresh, fail } = useOutcome()
  return useMutation({
    mutationFn: (id: HubModelState['id']) =>
      call<typeof adminApi.stopHubModel>('DELETE /api/admin/ai/hub-models/:id', { params: { id } }),
    onSuccess: refresh,
    onError: fail('Failed to stop the model'),
  })
}
