import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { collectionsApi } from '#features/collections/contract.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, causeOf } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { bulkApi } from '../contract.ts'
import { historyKey, useUndo } from './bulk-mutations.ts'
import { type MoveOutcome, moveItems } from './move-items.ts'

type Target = { id: number; name: string }
type Move = {
  mediaIds: readonly number[]
  to: Target | { name: string; runId: string }
  onProgress: (done: number) => void
  stopping?: AbortSignal
}

/** Moves items to an existing collection, or creates one first. */
export function useMoveToCollection() {
  const tell = useShowMoveOutcome()
  return useMutation({
    mutationFn: async ({ mediaIds, to, ...watch }: Move) => {
      const collection =
        'id' in to ? to : await call<typeof collectionsApi.create>('POST /api/collections', { body: to })
      return { collection, outcome: await moveItems(collection.id, mediaIds, watch) }
    },
    onSuccess: ({ collection, outcome }) => tell(outcome, collection),
    // Only creating the collection can throw here; items that fail are counted in the outcome.
    onError: (error) => toastError('Error', 'Failed to create collection.', causeOf(error)),
  })
}

/** Items already in the collection are reported but do not count as failures. The whole move is one history entry. */
function useShowMoveOutcome() {
  const queryClient = useQueryClient()
  const undo = useUndo()
  return async ({ added, duplicates, failed, reason, left }: MoveOutcome, collection: Target) => {
    await refreshMedia(queryClient)
    const isStopped = left.length > 0
    if (!isStopped && added.length === 0 && failed.length > 0)
      return toastError('Move failed', 'Failed to move media to collection.', reason)
    if (!isStopped && added.length === 0) {
      return toast({
        title: 'Items already in collection',
        description: `${countOf(duplicates, 'item')} already in "${collection.name}".`,
      })
    }
    // If recording the move fails, the items are still in the collection, but the move cannot be undone.
    const change = await call<typeof bulkApi.recordMove>('POST /api/history/moves', {
      body: { collectionId: collection.id, mediaIds: added },
    }).catch(() => undefined)
    await queryClient.invalidateQueries({ queryKey: historyKey })
    const parts = [
      `${countOf(added.length, 'item')} added to "${collection.name}".`,
      duplicates > 0 && `${countOf(duplicates, 'item')} already there.`,
      failed.length > 0 && `${countOf(failed.length, 'item')} failed${reason && `: ${reason.replace(/\.$/, '')}`}.`,
      isStopped && `${countOf(left.length, 'item')} not processed.`,
    ]
    toastSuccess(
      isStopped ? 'Move stopped' : 'Moved to collection',
      parts.filter(Boolean).join(' '),
      change && { label: 'Undo', onSelect: () => undo.mutate(change.id) },
    )
  }
}
