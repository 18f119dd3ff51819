import { useMutation, useQueryClient } from '@tanstack/react-query'
import { userIn } from '#features/auth/client/queries.ts'
import { call, causeOf, connectionProblem, messageOf } from '#platform/client/call.ts'
import { splitExtension } from '#shared/filenames.ts'
import { suggestSlug } from '#shared/slug.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { Media, mediaApi } from '../../contract.ts'
import { refreshMedia } from '../mutations.ts'
import { publicPagesOf } from './public-pages-of.ts'

export function useAnalyze() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => call<typeof mediaApi.analyze>('POST /api/media/:id/analyze', { params: { id } }),
    onMutate: () => userIn(queryClient),
    onSuccess: ({ filename, aiStatus }, _id, person) => {
      // The analysis was canceled, or the user who requested it has signed out, so no toast is shown.
      if (aiStatus !== 'done' || person !== userIn(queryClient)) return
      toastSuccess('Analysis complete', `"${filename}" was re-analyzed.`)
    },
    onError: (error, _id, person) => {
      if (person !== userIn(queryClient)) return
      toastError('Analysis failed', 'Could not analyze the media.', causeOf(error))
    },
    // On failure the item contains the reason.
    onSettled: () => refreshMedia(queryClient),
  })
}

export function useCancelAnalysis() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: number) =>
      call<typeof mediaApi.cancelAnalysis>('POST /api/media/:id/cancel-analysis', { params: { id } }),
    onSuccess: () => refreshMedia(queryClient),
    onError: (error) =>
      toastError(
        "Couldn't cancel",
        messageOf(error, "The analysis wasn't canceled. Please try again."),
        connectionProblem(error),
      ),
  })
}

export function useSuggestTags() {
  return useMutation({
    mutationFn: (id: number) =>
      call<typeof mediaApi.suggestTags>('POST /api/media/:id/suggest-tags', { params: { id } }),
    onError: (error) => toastError('Tag generation failed', 'Could not generate tag suggestions.', causeOf(error)),
  })
}

export function useAddTags() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, addTags }: { id: number; addTags: string[] }) =>
      call<typeof mediaApi.patch>('PATCH /api/media/:id', { params: { id }, body: { addTags } }),
    onSuccess: ({ filename }) => {
      toastSuccess('Tags added', `"${filename}" was updated.`)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Update failed', 'Failed to save changes.', causeOf(error)),
  })
}

/** Public collections that contain the item still show it. */
export function useMakePrivate() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => call<typeof mediaApi.makePrivate>('DELETE /api/media/:id/public', { params: { id } }),
    onSuccess: ({ collections }) => {
      const pages = publicPagesOf(collections)
      if (pages) toastSuccess('Public URL removed', `The item is still shown on ${pages}.`)
      else toastSuccess('No longer public', 'The link no longer works.')
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update URL.'), connectionProblem(error)),
  })
}

export function useRenamePublicUrl() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, slug }: { id: number; slug: string }) =>
      call<typeof mediaApi.renamePublicUrl>('PATCH /api/media/:id/public-url', {
        params: { id },
        body: { publicUrlSlug: slug },
      }),
    onSuccess: () => {
      toastSuccess('URL updated', 'The old link redirects to the new one.')
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update URL.'), connectionProblem(error)),
  })
}

/** The earlier links may have leaked while the item was public before. */
export function useRenewPublicUrl() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, filename }: Pick<Media, 'id' | 'filename'>) =>
      call<typeof mediaApi.renamePublicUrl>('PATCH /api/media/:id/public-url', {
        params: { id },
        body: { publicUrlSlug: suggestSlug(splitExtension(filename).stem), endsEarlierUrls: true },
      }),
    onSuccess: () => {
      toastSuccess('New link created', 'Earlier links no longer work.')
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update URL.')),
  })
}

export function useSyncImageKitName() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, newName }: { id: number; newName: string }) =>
      call<typeof mediaApi.syncImageKitName>('PUT /api/media/:id/sync-imagekit-name', {
        params: { id },
        body: { newName },
      }),
    onSuccess: ({ message, warning }) => {
      toast({ title: 'Name synced to ImageKit', description: message, tone: warning ? 'neutral' : 'success' })
      return refreshMedia(queryClient)
    },
    onError: (error) =>
      toastError('URL sync failed', messageOf(error, 'Could not update ImageKit URL.'), connectionProblem(error)),
  })
}
