import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { call, causeOf, connectionProblem, messageOf } from '#platform/client/call.ts'
import { isServerError } from '#platform/client/retry.ts'
import { newRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { copyText } from '#ui/copy-text.ts'
import { toast, toastError, toastSuccess, toastWhile } from '#ui/notices/toast.ts'
import type { Media, MediaPatch, mediaApi, trashApi } from '../contract.ts'
import { trashDays } from '../limits.ts'
import { type FavoriteChange, favoriteKey, isOnlyPendingFavorite } from './pending-favorites.ts'
import { forgetPlaybackProgress } from './playback-progress.ts'
import { doneBefore, mediaQueries, orGone } from './queries.ts'

/** Any change of items may also change the storage meter, the counts of collections and websites, and the history. */
export function refreshMedia(queryClient: QueryClient) {
  return Promise.all(
    [['media'], ['storage'], ['collections'], ['websites'], ['history'], ['tags']].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )
}

function useRefresh() {
  const queryClient = useQueryClient()
  return () => refreshMedia(queryClient)
}

export function useRenameMedia() {
  const refresh = useRefresh()
  return useMutation({
    // Renames are sent one at a time, so that a slow one cannot overwrite a later one.
    scope: { id: 'rename' },
    mutationFn: ({ id, filename }: { id: number; filename: string }) =>
      call<typeof mediaApi.patch>('PATCH /api/media/:id', { params: { id }, body: { filename } }),
    onSuccess: ({ filename }) => {
      toastSuccess('Renamed', `Renamed to "${filename}".`)
      return refresh()
    },
    onError: (error) => toastError('Rename failed', 'Could not rename the file.', causeOf(error)),
  })
}

export function useSaveMedia() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ id, patch }: { id: number; patch: MediaPatch }) =>
      call<typeof mediaApi.patch>('PATCH /api/media/:id', { params: { id }, body: patch }),
    onSuccess: (media) => {
      toastSuccess('Changes saved', `"${media.filename}" was updated.`)
      return refresh()
    },
    onError: (error) => toastError('Update failed', 'Failed to save changes.', causeOf(error)),
  })
}

/** The last known server state, for rolling back failed changes. */
const savedFavorites = new Map<number, boolean>()

/** Updates the heart optimistically and rolls it back if the request fails. */
export function useFavorite() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey: favoriteKey,
    // Sent one at a time, so that a slow request cannot overwrite a later one.
    scope: { id: 'favorite' },
    mutationFn: ({ id, isFavorite }: FavoriteChange) =>
      call<typeof mediaApi.patch>('PATCH /api/media/:id', { params: { id }, body: { isFavorite } }),
    onMutate: ({ id, isFavorite }) => {
      if (isOnlyPendingFavorite(queryClient, id)) savedFavorites.set(id, !isFavorite)
      patchCached(queryClient, id, { isFavorite })
    },
    onSuccess: (_media, { id, isFavorite }) => {
      savedFavorites.set(id, isFavorite)
    },
    onError: (error, { id }) => {
      // If another change is pending, the heart keeps showing that one.
      if (isOnlyPendingFavorite(queryClient, id)) patchCached(queryClient, id, { isFavorite: savedFavorites.get(id) })
      toastError('Update failed', 'Failed to save changes.', causeOf(error))
    },
    // While another change is pending, refreshed data would be out of date. Not awaited, as the next change would wait as
    // well.
    onSettled: () => {
      if (queryClient.isMutating({ mutationKey: favoriteKey }) === 1) void refreshMedia(queryClient)
    },
  })
}

function patchCached(queryClient: QueryClient, id: number, patch: Partial<Media>) {
  queryClient.setQueriesData<{ media: Media[] }>(
    { queryKey: [...mediaQueries.all(), 'page'] },
    (page) => page && { ...page, media: page.media.map((media) => (media.id === id ? { ...media, ...patch } : media)) },
  )
  queryClient.setQueryData<Media>(mediaQueries.one(id).queryKey, (media) => media && { ...media, ...patch })
}

export function useDeleteMedia() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: number) =>
      orGone(call<typeof mediaApi.remove>('DELETE /api/media/:id', { params: { id } }), { message: doneBefore }),
    onSuccess: ({ message }) => {
      toastSuccess('Item deleted', message)
      // Not awaited: an open viewer also refetches the deleted item, and its retries would delay this.
      void refresh()
    },
    onError: (error) => toastError('Delete failed', 'Could not delete the file.', causeOf(error)),
  })
}

export function useCopyMedia() {
  const refresh = useRefresh()
  /** The same id until the server responds, so that a second click does not create another copy. */
  const runIdRef = useRef<string>(undefined)
  return useMutation({
    mutationFn: (id: number) => {
      runIdRef.current ??= newRunId()
      return call<typeof mediaApi.copy>('POST /api/media/:id/copy', {
        params: { id },
        body: { runId: runIdRef.current },
      })
    },
    onSettled: (_copy, error) => {
      if (!error || isServerError(error)) runIdRef.current = undefined
    },
    onSuccess: ({ filename }) => {
      toastSuccess('Item duplicated', `"${filename}" was added to your library.`)
      return refresh()
    },
    onError: (error) => toastError('Copy failed', 'Could not copy the media.', causeOf(error)),
  })
}

/** Also copies the new address to the clipboard. */
export function useMakePublic() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async (id: number) => {
      const made = call<typeof mediaApi.makePublic>('POST /api/media/:id/public', { params: { id } })
      const isCopied = await copyText(made.then(({ publicUrl }) => publicUrl)).then(
        () => true,
        () => false,
      )
      return { ...(await made), isCopied }
    },
    onSuccess: async ({ publicUrl, isCopied }) => {
      toastSuccess('Public URL created', isCopied ? 'The link was copied to your clipboard.' : publicUrl)
      await refresh()
    },
    onError: (error) => toastError('Failed to create URL', 'Could not create public URL.', causeOf(error)),
  })
}

/** The item shows the progress itself, so only a failure shows a toast. */
export function useReprocess() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: number) => call<typeof mediaApi.reprocess>('POST /api/media/:id/reprocess', { params: { id } }),
    onMutate: forgetPlaybackProgress,
    onError: (error) =>
      toastError(
        'Processing failed',
        messageOf(error, "Couldn't retry processing the video."),
        connectionProblem(error),
      ),
    onSettled: refresh,
  })
}

/** Needs no confirmation, because it can be undone. */
export function useMoveToTrash(onUndone?: (mediaIds: number[]) => void) {
  const refresh = useRefresh()
  const restore = useRestoreFromTrash()
  return useMutation({
    mutationFn: (mediaIds: number[]) =>
      toastWhile('Moving to Trash', call<typeof trashApi.trash>('POST /api/media/bulk-trash', { body: { mediaIds } })),
    onSuccess: ({ summary }, mediaIds) => {
      toast({
        title: 'Moved to Trash',
        description: `${countOf(summary.successful, 'item')} will be permanently deleted after ${trashDays} days.`,
        action: {
          label: 'Undo',
          onSelect: () => restore.mutate(mediaIds, { onSuccess: () => onUndone?.(mediaIds) }),
        },
      })
      return refresh()
    },
    onError: (error) =>
      toastError('Delete failed', messageOf(error, "Couldn't move the items to the trash."), connectionProblem(error)),
  })
}

export function useRestoreFromTrash() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (mediaIds: number[]) =>
      toastWhile('Restoring', call<typeof trashApi.restore>('POST /api/media/bulk-restore', { body: { mediaIds } })),
    onSuccess: ({ summary }) => {
      toastSuccess('Restored', `${countOf(summary.successful, 'item')} restored to your library.`)
      return refresh()
    },
    onError: (error) =>
      toastError(
        'Restore failed',
        messageOf(error, "Couldn't restore the items from the trash."),
        connectionProblem(error),
      ),
  })
}

export function useEmptyTrash() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call<typeof trashApi.emptyTrash>('DELETE /api/trash'),
    onSuccess: ({ deleted }) => {
      toastSuccess('Trash emptied', `${countOf(deleted, 'item')} permanently deleted.`)
      return refresh()
    },
    onError: (error) =>
      toastError('Delete failed', messageOf(error, "Couldn't empty the trash."), connectionProblem(error)),
  })
}
