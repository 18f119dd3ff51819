import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { firstStepsApi } from '../contract.ts'

export function useAddSamples() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call<typeof firstStepsApi.addSamples>('POST /api/sample-pictures'),
    onSuccess: ({ count }) => toastSuccess('Sample pictures added', `${countOf(count, 'item')} in your library.`),
    onError: (error) =>
      toastError('Error', messageOf(error, "Couldn't add the sample pictures."), connectionProblem(error)),
    // After an error some of them may be there.
    onSettled: () => refreshMedia(queryClient),
  })
}

export function useRemoveSamples() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call<typeof firstStepsApi.removeSamples>('DELETE /api/sample-pictures'),
    onSuccess: ({ count }) => {
      toastSuccess('Sample pictures removed', `${countOf(count, 'item')} permanently deleted.`)
      return refreshMedia(queryClient)
    },
    onError: (error) =>
      toastError('Error', messageOf(error, "Couldn't remove the sample pictures."), connectionProblem(error)),
  })
}
