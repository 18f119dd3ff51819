import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { CollectionPicker } from '#features/collections/client/collection-picker.tsx'
import { bestMatch, matchCollections, newCollection } from '#features/collections/client/matching-collections.ts'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { maxNameLength } from '#features/collections/limits.ts'
import type { Media } from '#features/media/contract.ts'
import { failureReason } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { useMoveToCollection } from '../use-move-to-collection.ts'
import { useStopping } from '../use-stopping.ts'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'

/** Users who move several batches mostly move them to the same collection. */
let lastUsed: string | undefined

type MoveDialogProps = BulkDialogProps & { verb?: 'Move' | 'Add' }

export function MoveDialog({ mediaIds, onClose, onDone, verb = 'Move' }: MoveDialogProps) {
  const summaries = useQuery(collectionQueries.summaries())
  const all = summaries.data ?? []
  const collections = all.filter(({ query: search }) => search === null)
  const [chosen, setChosen] = useState<string>()
  const [query, setQuery] = useState('')
  const [typedName, setName] = useState<string>()
  const nameRef = useRef<HTMLInputElement>(null)
  const [done, setDone] = useState(0)
  const runId = useRunId()
  const isEmpty = summaries.data !== undefined && collections.length === 0
  const hasFailed = summaries.error && !summaries.data
  const known = collections.map(({ id }) => String(id))
  const usual = known.length > 1 ? known.find((id) => id === lastUsed) : known[0]
  const target = isEmpty ? newCollection : (chosen ?? usual)
  const isNew = target === newCollection
  // What was searched for in vain is the name, until the user types another one.
  const name = typedName ?? query.slice(0, maxNameLength)
  // Undefined if the chosen collection was deleted in the meantime.
  const collection = isNew ? { name, runId } : collections.find(({ id }) => String(id) === target)
  const matches = matchCollections(collections, query)
  const move = useMoveToCollection()
  const stopping = useStopping()

  function search(wanted: string) {
    setQuery(wanted)
    if (wanted.trim()) setChosen(bestMatch(matchCollections(collections, wanted)))
  }

  function choose(value: string) {
    // The name field must be there to get the focus.
    flushSync(() => setChosen(value))
    if (value === newCollection && !name.trim()) nameRef.current?.focus()
  }

  function submit() {
    if (!collection) return
    // A new collection appears in the list once it is created, but the selection stays on the user's choice until the dialog
    // closes.
    setChosen(target)
    move.mutate(
      { mediaIds, to: collection, onProgress: setDone, stopping: stopping.begin() },
      {
        onSuccess: ({ collection, outcome }) => {
          lastUsed = String(collection.id)
          onDone([...outcome.failed, ...outcome.left])
        },
      },
    )
  }

  return (
    <BulkDialog
      title={`${verb} to Collection`}
      description={`Adds ${countOf(mediaIds.length, 'item')} to a collection. Nothing leaves the library or its other collections.`}
      submitLabel={isNew ? `Create and ${verb}` : verb}
      isDisabled={!collection?.name.trim()}
      isPending={move.isPending}
      progress={{ done, total: mediaIds.length }}
      onStop={stopping.stop}
      isStopping={stopping.isStopping}
      onClose={onClose}
      onSubmit={submit}
    >
      {isEmpty && <p className="text-muted">No collections found. Create a collection first.</p>}
      {hasFailed && (
        <LoadFailure
          what="your collections"
          why={failureReason(summaries.error)}
          onRetry={() => void summaries.refetch()}
        />
      )}
      {!isEmpty && !hasFailed && (
        <CollectionPicker
          collections={matches}
          query={query}
          onQueryChange={search}
          value={collection ? target : undefined}
          onValueChange={setChosen}
          onChoose={choose}
          isDisabled={move.isPending}
        />
      )}
      {collections.length < all.length && (
        <p className="text-muted text-sm">
          Smart collections are not listed, because they contain what matches their search.
        </p>
      )}
      {isNew && (
        <Field label="Name">
          <Input
            ref={nameRef}
            value={name}
            onChange={({ target }) => setName(target.value)}
            maxLength={maxNameLength}
          />
        </Field>
      )}
    </BulkDialog>
  )
}

/** Adds the item that the viewer shows. */
export function MoveOneDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  return <MoveDialog mediaIds={[media.id]} onClose={onClose} onDone={onClose} verb="Add" />
}
