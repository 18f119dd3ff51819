import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { collectionsApi, maxNameLength } from '#features/collections/contract.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import type { Media } from '#features/media/contract.ts'
import { call } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { Field } from '#ui/field.tsx'
import { Input } from '#ui/input.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Select } from '#ui/select.tsx'
import { toast, toastError, toastSuccess } from '#ui/toast.ts'
import { bulkApi } from '../../contract.ts'
import { historyKey, useUndo } from '../bulk-mutations.ts'
import { type MoveOutcome, moveItems } from '../move-items.ts'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'

const newCollection = 'new'
/** Whoever moves one batch after the other mostly means the same collection. */
let lastUsed: string | undefined

export function MoveDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const summaries = useQuery(collectionQueries.summaries())
  const collections = summaries.data ?? []
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState('')
  const [done, setDone] = useState(0)
  const tell = useTellMove()
  const isEmpty = summaries.data?.length === 0
  const hasFailed = summaries.isError && !summaries.data
  const known = collections.map(({ id }) => String(id))
  const usual = known.length > 1 ? known.find((id) => id === lastUsed) : known[0]
  const target = isEmpty ? newCollection : (chosen ?? usual ?? '')
  const isNew = target === newCollection

  const create = useMutation({
    mutationFn: () => call(collectionsApi.create, { body: { name } }),
    // A second try moves into the one that is there.
    onSuccess: ({ id }) => setChosen(String(id)),
    onError: () => toastError('Error', 'Failed to create collection.'),
  })
  const move = useMutation({
    mutationFn: (collection: Target) => moveItems(collection.id, mediaIds, setDone),
    onSuccess: async (outcome, collection) => {
      lastUsed = String(collection.id)
      await tell(outcome, collection)
      onDone(outcome.failed)
    },
    onError: () => toastError('Move failed', 'Failed to move media to collection.'),
  })
  const collection = collections.find(({ id }) => String(id) === target) ?? {
    id: Number(target),
    name: 'the collection',
  }
  const submit = () =>
    isNew ? create.mutate(undefined, { onSuccess: (made) => move.mutate(made) }) : move.mutate(collection)

  return (
    <BulkDialog
      title="Move to Collection"
      description={`${countOf(mediaIds.length, 'item')} will be added; ${mediaIds.length === 1 ? 'it stays in the library and in its other collections' : 'they stay in the library and in their other collections'}.`}
      submitLabel={isNew ? 'Create and Move' : 'Move'}
      isDisabled={isNew ? name.trim() === '' : !target}
      isPending={create.isPending || move.isPending}
      progress={{ done, total: mediaIds.length }}
      onClose={onClose}
      onSubmit={submit}
    >
      {isEmpty && <p className="text-muted">No collections found. Create a collection first.</p>}
      {hasFailed && <LoadFailure what="Your collections" onRetry={() => void summaries.refetch()} />}
      {!isEmpty && !hasFailed && (
        <Field label="Collection">
          <Select
            placeholder="Choose a collection"
            value={target}
            onValueChange={setChosen}
            options={[
              ...collections.map(({ id, name }) => ({ value: String(id), label: name })),
              { value: newCollection, label: 'New collection…' },
            ]}
          />
        </Field>
      )}
      {isNew && (
        <Field label="Name">
          <Input value={name} onChange={({ target }) => setName(target.value)} maxLength={maxNameLength} autoFocus />
        </Field>
      )}
    </BulkDialog>
  )
}

/** The same for one item. */
export function MoveOneDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  return <MoveDialog mediaIds={[media.id]} onClose={onClose} onDone={onClose} />
}

type Target = { id: number; name: string }

/** What was there already is said, not counted as a failure; the whole move is one entry of the history. */
function useTellMove() {
  const queryClient = useQueryClient()
  const undo = useUndo()
  return async ({ added, duplicates, failed }: MoveOutcome, collection: Target) => {
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
