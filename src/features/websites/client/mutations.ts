import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { doneBefore, orGone } from '#features/media/client/queries.ts'
import { call, causeOf } from '#platform/client/call.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { Website, websitesApi } from '../contract.ts'
import type { WebsiteForm } from './website-form.ts'

/** The dialog shows what is wrong next to its fields. Collections show the name of their website too. */
export function useSaveWebsite() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, runId, ...body }: WebsiteForm & { id?: number; runId: string }) =>
      id === undefined
        ? call<typeof websitesApi.create>('POST /api/websites', { body: { ...body, runId } })
        : call<typeof websitesApi.update>('PATCH /api/websites/:id', { params: { id }, body }),
    onSuccess: ({ name }, { id }) => {
      toastSuccess(id === undefined ? 'Website created' : 'Website updated', `"${name}" was saved.`)
      return refreshMedia(queryClient)
    },
  })
}

export function useDeleteWebsite() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: Pick<Website, 'id'>) =>
      orGone(call<typeof websitesApi.remove>('DELETE /api/websites/:id', { params: { id } }), { message: doneBefore }),
    onSuccess: ({ message }) => {
      toastSuccess('Website deleted', message)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', 'Failed to delete website.', causeOf(error)),
  })
}
