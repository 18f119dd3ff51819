import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { SharingChanges, sharingApi } from '../contract.ts'

export function useChangeSharing(id: number) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (changes: SharingChanges) =>
      call<typeof sharingApi.changeOptions>('PATCH /api/collections/:id/sharing', { params: { id }, body: changes }),
    onSuccess: () => {
      toastSuccess('Sharing updated', 'Changes apply immediately.')
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update collection.'), connectionProblem(error)),
  })
}
