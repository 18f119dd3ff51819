import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { Field } from '#ui/field.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Select } from '#ui/select.tsx'
import { toast, toastError, toastSuccess } from '#ui/toast.ts'
import { bulkApi } from '../../contract.ts'
import { historyKey, useUndo } from '../bulk-mutations.ts'
import { type MoveOutcome, moveItems } from '../move-items.ts'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'

export function MoveDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const summaries = useQuery(collectionQueries.summaries())
  const collections = summaries.data ?? []
  const [collectionId, setCollectionId] = useState('')
  const [done, setDone] = useState(0)
  const tell = useTellMove()
  const move = useMutation({
    mutationFn: () => moveItems(Number(collectionId), mediaIds, setDone),
    onSuccess: async (outcome) => {
      await tell(
        outcome,
        collections.find(({ id }) => String(id) === collectionId) ?? {
          id: Number(collectionId),
          name: 'the collection',
        },
      )
      onDone(outcome.failed)
    },
    onError: () => toastError('Move failed', 'Failed to move media to collection.'),
  })
  const isEmpty = summaries.data?.length === 0
  const hasFailed = summaries.isError && !summaries.data
  return (
    <BulkDialog
      title="Move to Collection"
      description={
        isEmpty
          ? undefined
          : `${countOf(mediaIds.length, 'item')} will be added; they stay in the library and in their other collections.`
      }
      submitLabel="Move"
      isDisabled={!collectionId}
      isPending={move.isPending}
      progress={{ done, total: mediaIds.length }}
      onClose={onClose}
      onSubmit={() => move.mutate()}
    >
      {isEmpty && <p className="text-muted">No collections found. Create a collection first.</p>}
      {hasFailed && <LoadFailure what="Your collections" onRetry={() => void summaries.refetch()} />}
      {!isEmpty && !hasFailed && (
        <Field label="Collection">
          <Select
            placeholder="Choose a collection"
            value={collectionId}
            onValueChange={setCollectionId}
            options={collections.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
        </Field>
      )}
    </BulkDialog>
  )
}

/** What was there already is said, not counted as a failure; the whole move is one entry of the history. */
function useTellMove() {
  const queryClient = useQueryClient()
  const undo = useUndo()
  return async ({ added, duplicates, failed }: MoveOutcome, collection: { id: number; name: string }) => {
    await refreshMedia(queryClient)
    if (added.length === 0 && failed.length > 0) return toastError('Move failed', 'Failed to move media to collection.')
    if (added.length === 0) {
      return toast({
        title: 'Items already in collection',
        description: `${countOf(duplicates, 'item')} already in "${collection.name}".`,
      })
    }
    const change = await call(bulkApi.recordMove, { body: { collectionId: collection.id, mediaIds: added } }).catch(
      () => undefined,
    )
    await queryClient.invalidateQueries({ queryKey: historyKey })
    const parts = [
      `${countOf(added.length, 'item')} added to "${collection.name}".`,
      duplicates > 0 && `${countOf(duplicates, 'item')} already there.`,
      failed.length > 0 && `${countOf(failed.length, 'item')} failed.`,
    ]
    toastSuccess(
      'Moved to collection',
      parts.filter(Boolean).join(' '),
      change && { label: 'Undo', onSelect: () => undo.mutate(change.id) },
    )
  }
}
