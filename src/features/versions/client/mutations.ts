import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, causeOf, connectionProblem, messageOf } from '#platform/client/call.ts'
import { sendFile } from '#platform/client/send-file.ts'
import type { PictureEdit } from '#shared/picture-edit.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { versionsApi } from '../contract.ts'
import { versionQueries } from './queries.ts'

type Replacement = { id: number; file: File; onSent?: (sentBytes: number) => void }

export function useReplaceFile() {
  const queryClient = useQueryClient()
  const goBack = useGoBack()
  return useMutation({
    mutationFn: ({ id, file, onSent }: Replacement) =>
      sendFile<typeof versionsApi.replace>('POST /api/media/:id/replace', 'file', file, onSent, { id }),
    onSuccess: ({ id, filename }) => {
      toastSuccess('File replaced', `"${filename}" has a new file. Its link stays the same.`, goBack(id))
      return refreshMedia(queryClient)
    },
    onError: (error) =>
      toastError('Replacement failed', messageOf(error, 'Could not replace the file.'), connectionProblem(error)),
  })
}

type Edit = PictureEdit & { id: number; saveAs: 'version' | 'duplicate'; runId: string }

export function useEditPicture() {
  const queryClient = useQueryClient()
  const goBack = useGoBack()
  return useMutation({
    mutationFn: ({ id, ...body }: Edit) =>
      call<typeof versionsApi.edit>('POST /api/media/:id/edit', { params: { id }, body }),
    onSuccess: ({ id, filename }, { saveAs }) => {
      if (saveAs === 'version')
        toastSuccess('Changes saved', `The previous file of "${filename}" is kept as a version.`, goBack(id))
      else toastSuccess('Duplicate saved', `"${filename}" was added to your library.`)
      return refreshMedia(queryClient)
    },
    onError: (error) =>
      toastError('Edit failed', messageOf(error, 'Could not save the image.'), connectionProblem(error)),
  })
}

export function useRestoreVersion() {
  const queryClient = useQueryClient()
  const goBack = useGoBack()
  return useMutation({
    mutationFn: (version: { id: number; versionId: number }) => restore(version),
    onSuccess: ({ id, filename }) => {
      toastSuccess('Version restored', `"${filename}" has its earlier file again.`, goBack(id))
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Restore failed', 'Could not restore the version.', causeOf(error)),
  })
}

export function useDeleteVersion() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, versionId }: { id: number; versionId: number }) =>
      call<typeof versionsApi.remove>('DELETE /api/media/:id/versions/:versionId', { params: { id, versionId } }),
    onSuccess: () => {
      toastSuccess('Version deleted', 'Its space is free again.')
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Delete failed', 'Could not delete the version.', causeOf(error)),
  })
}

export function useDeleteAllVersions() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call<typeof versionsApi.removeAll>('DELETE /api/versions'),
    onSuccess: ({ message }) => {
      toastSuccess('Versions deleted', message)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Delete failed', 'Could not delete the versions.', causeOf(error)),
  })
}

const restore = (params: { id: number; versionId: number }) =>
  call<typeof versionsApi.restore>('POST /api/media/:id/versions/:versionId/restore', { params })

/** The Undo of a toast: the file that the item had before becomes its file again. */
function useGoBack() {
  const queryClient = useQueryClient()
  return (id: number) => ({ label: 'Undo', onSelect: () => void returnToPrevious(queryClient, id) })
}

async function returnToPrevious(queryClient: QueryClient, id: number) {
  try {
    const { versions } = await queryClient.fetchQuery({ ...versionQueries.of(id), staleTime: 0 })
    const previous = versions[1]
    if (previous?.id) await restore({ id, versionId: previous.id })
    await refreshMedia(queryClient)
  } catch (error) {
    toastError('Restore failed', 'Could not restore the version.', causeOf(error))
  }
}
