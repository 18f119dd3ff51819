import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { doneBefore, orGone } from '#features/media/client/queries.ts'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import type { Branding } from '#features/websites/branding.ts'
import { call, causeOf, connectionProblem, messageOf } from '#platform/client/call.ts'
import { retryAction } from '#platform/client/retry.ts'
import { countOf } from '#shared/count.ts'
import { suggestSlug } from '#shared/slug.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { Collection, CollectionDraft, collectionsApi } from '../contract.ts'
import { isDuplicate } from './is-duplicate.ts'
import { collectionQueries } from './queries.ts'

function useRefreshCollections() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: collectionQueries.all() })
}

export function useCreateCollection() {
  const refresh = useRefreshCollections()
  return useMutation({
    mutationFn: (body: CollectionDraft & { runId: string }) =>
      call<typeof collectionsApi.create>('POST /api/collections', { body }),
    onSuccess: ({ name }) => {
      toastSuccess('Collection created', `"${name}" is ready.`)
      return refresh()
    },
    onError: (error) => toastError('Error', 'Failed to create collection.', causeOf(error)),
  })
}

type CollectionChanges = { name?: string; description?: string; query?: string; coverMediaId?: number | null }

/** The cards of its media show the collection's name too. */
export function useUpdateCollection() {
  const queryClient = useQueryClient()
  return useMutation({
    // One at a time, so that the last of two covers chosen quickly wins.
    scope: { id: 'update-collection' },
    mutationFn: ({ id, ...body }: { id: number } & CollectionChanges) =>
      call<typeof collectionsApi.update>('PATCH /api/collections/:id', { params: { id }, body }),
    onSuccess: ({ name }) => {
      toastSuccess('Collection updated', `"${name}" was saved.`)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', 'Failed to update collection.', causeOf(error)),
  })
}

export function useDuplicateCollection() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: CollectionDraft & { id: number; runId: string }) =>
      call<typeof collectionsApi.duplicate>('POST /api/collections/:id/duplicate', { params: { id }, body }),
    onSuccess: ({ collection, stats }) => {
      const copied =
        collection.query === null
          ? `${countOf(stats.copiedMedia, 'item')} copied to "${collection.name}".`
          : `"${collection.name}" has the same search.`
      toastSuccess('Collection duplicated', copied)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', 'Failed to duplicate collection.', causeOf(error)),
  })
}

export function useFreezeCollection() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: number) =>
      call<typeof collectionsApi.freeze>('POST /api/collections/:id/freeze', { params: { id } }),
    onSuccess: ({ name, mediaCount }) => {
      toastSuccess('Collection frozen', `"${name}" keeps its ${countOf(mediaCount, 'item')}.`)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update collection.'), connectionProblem(error)),
  })
}

/** Views of the deleted collection are closed. */
export function useDeleteCollection() {
  const queryClient = useQueryClient()
  const [view, setView] = useLibraryView()
  return useMutation({
    mutationFn: (id: number) =>
      orGone(call<typeof collectionsApi.remove>('DELETE /api/collections/:id', { params: { id } }), {
        message: doneBefore,
      }),
    onSuccess: ({ message }, id) => {
      toastSuccess('Collection deleted', message)
      if (view.collectionId === id) setView({ collectionId: undefined }, { replace: true })
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', 'Failed to delete collection.', causeOf(error)),
  })
}

export function useBrandCollection() {
  const refresh = useRefreshCollections()
  return useMutation({
    mutationFn: ({ id, branding }: { id: number; branding: Branding }) =>
      call<typeof collectionsApi.brand>('PATCH /api/collections/:id/branding', { params: { id }, body: branding }),
    onSuccess: ({ name }) => {
      toastSuccess('Branding saved', `The public page of "${name}" was updated.`)
      return refresh()
    },
    onError: (error) => toastError('Error', 'Failed to update collection branding.', causeOf(error)),
  })
}

/** The message depends on the state before the switch. The media queries hold where each item is shown. */
export function useSetVisibility() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, isPublic }: Pick<Collection, 'id' | 'name' | 'isPublic' | 'publicSlug'>) =>
      call<typeof collectionsApi.setVisibility>('PATCH /api/collections/:id/visibility', {
        params: { id },
        body: { isPublic: !isPublic },
      }),
    onSuccess: (_changed, { name, isPublic }) => {
      if (isPublic) toastSuccess('Collection is now private', `Only you can see "${name}" now.`)
      else toastSuccess('Collection is now public', `Anyone with the link can see "${name}".`)
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', 'Failed to update collection.', causeOf(error)),
  })
}

export function useRenameCollectionUrl() {
  const refresh = useRefreshCollections()
  return useMutation({
    mutationFn: ({ id, publicSlug }: { id: number; publicSlug: string }) =>
      call<typeof collectionsApi.renameUrl>('PATCH /api/collections/:id/url', { params: { id }, body: { publicSlug } }),
    onSuccess: () => {
      toastSuccess('URL updated', 'The old link redirects to the new one.')
      return refresh()
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update URL.'), connectionProblem(error)),
  })
}

/** The earlier links may have leaked while the collection was public before. */
export function useRenewCollectionUrl() {
  const refresh = useRefreshCollections()
  return useMutation({
    mutationFn: ({ id, name }: Pick<Collection, 'id' | 'name'>) =>
      call<typeof collectionsApi.renameUrl>('PATCH /api/collections/:id/url', {
        params: { id },
        body: { publicSlug: suggestSlug(name), endsEarlierUrls: true },
      }),
    onSuccess: () => {
      toastSuccess('New link created', 'Earlier links no longer work.')
      return refresh()
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update URL.')),
  })
}

/** The library's list may be sorted by this order too. The mutation ends when the new order is loaded. */
export function useArrangeCollection() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey: arrangeKey,
    // One at a time, because a position is given by the following item, which an earlier request may have moved.
    scope: { id: 'arrange' },
    mutationFn: ({ id, mediaId, beforeId }: { id: number; mediaId: number; beforeId: number | null }) =>
      call<typeof collectionsApi.arrange>('PATCH /api/collections/:id/order', {
        params: { id },
        body: { mediaIds: [mediaId], beforeId },
      }),
    // While another request is pending, the answer would be older than what is shown.
    onSettled: () =>
      queryClient.isMutating({ mutationKey: arrangeKey }) === 1 ? refreshMedia(queryClient) : undefined,
    onError: (error) => toastError('Error', 'Failed to update collection.', causeOf(error)),
  })
}

const arrangeKey = ['arrange'] as const

type Membership = { collectionId: number; mediaId: number }

export function useRemoveFromCollection() {
  const queryClient = useQueryClient()
  const putBack = useMutation({
    mutationFn: async ({ beforeId, ...params }: Membership & { beforeId: number | null }) => {
      await call<typeof collectionsApi.addMedia>('POST /api/collections/:collectionId/media/:mediaId', {
        params,
      }).catch((error) => {
        // A retry may find it there already, if only the response was lost.
        if (!isDuplicate(error)) throw error
      })
      // Adding has put it at the end.
      if (beforeId === null) return
      const body = { mediaIds: [params.mediaId], beforeId }
      await call<typeof collectionsApi.arrange>('PATCH /api/collections/:id/order', {
        params: { id: params.collectionId },
        body,
      })
    },
    onError: (error, undone) =>
      toast({
        title: 'Error',
        description: messageOf(error, 'Failed to update collection.'),
        tone: 'danger',
        action: retryAction(error, () => putBack.mutate(undone)),
      }),
    onSettled: () => refreshMedia(queryClient),
  })
  return useMutation({
    mutationFn: (membership: Membership) =>
      orGone(
        call<typeof collectionsApi.removeMedia>('DELETE /api/collections/:collectionId/media/:mediaId', {
          params: membership,
        }),
        undefined,
      ),
    onSuccess: (done, membership) => {
      toast({
        title: 'Removed from collection',
        description: done?.message ?? doneBefore,
        // The caller that removed it knows its previous position.
        action: done && {
          label: 'Undo',
          onSelect: () => putBack.mutate({ ...membership, beforeId: done.beforeId }),
        },
      })
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Error', messageOf(error, 'Failed to update collection.'), connectionProblem(error)),
  })
}
