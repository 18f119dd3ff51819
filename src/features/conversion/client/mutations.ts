import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { conversionApi } from '../contract.ts'

/** Keeps the original and adds the WebP as a new item. */
export function useConvertToWebp() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: { id: number; quality: number; runId: string }) =>
      call<typeof conversionApi.convertToWebp>('POST /api/media/:id/convert-webp', {
        params: { id },
        body: { ...body, deleteOriginal: false },
      }),
    onSuccess: ({ isConverted, message }) => {
      if (isConverted) toastSuccess('Conversion complete', message)
      else toast({ title: 'No savings', description: message })
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Conversion failed', 'Could not convert image to WebP.', messageOf(error, '')),
  })
}
