import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { toast, toastError } from '#ui/toast.ts'
import { collectionsApi } from '../contract.ts'

export function useRemoveFromCollection() {
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: (membership: { collectionId: number; mediaId: number }) =>
      call(collectionsApi.addMedia, { params: membership }),
    onSettled: () => refreshMedia(queryClient),
  })
  return useMutation({
    mutationFn: (membership: { collectionId: number; mediaId: number }) =>
      call(collectionsApi.removeMedia, { params: membership }),
    onSuccess: ({ message }, membership) => {
      toast({
        title: 'Removed from collection',
        description: message,
        action: { label: 'Undo', onSelect: () => add.mutate(membership) },
      })
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update collection.')),
  })
}
