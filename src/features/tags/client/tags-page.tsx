import { useQuery } from '@tanstack/react-query'
import Search from 'lucide-react/icons/search'
import { useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { fold } from '#shared/fold.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import type { LibraryTag } from '../contract.ts'
import { maxListedTags } from '../limits.ts'
import { DeleteTagDialog } from './delete-tag-dialog.tsx'
import { LikelyPairs } from './likely-pairs.tsx'
import { MergeTagDialog } from './merge-tag-dialog.tsx'
import type { UndoChange } from './mutations.ts'
import { tagQueries } from './queries.ts'
import { TagRow } from './tag-row.tsx'

const rowsAtOnce = 200
type Order = 'count' | 'name'
const orders = [
  { value: 'count', label: 'Most used' },
  { value: 'name', label: 'A–Z' },
] as const satisfies { value: Order; label: string }[]

type Asked = { kind: 'merge' | 'delete'; tag: LibraryTag; into?: string }

/** All tags of the library, with what can be done to each. */
export function TagsPage({ undo }: { undo: UndoChange }) {
  const { data: tags, isPending, error, refetch } = useQuery(tagQueries.list())
  const [text, setText] = useState('')
  const [order, setOrder] = useState<Order>('count')
  const [rows, setRows] = useState(rowsAtOnce)
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const matching = (tags ?? []).filter(({ tag }) => fold(tag).includes(fold(text.trim())))
  const sorted = order === 'count' ? matching : matching.toSorted((one, other) => one.tag.localeCompare(other.tag))
  const used = (tags ?? []).filter(({ count }) => count > 0).length
  return (
    <div className="mx-auto max-w-3xl space-y-5 px-4 pt-5 pb-10 sm:px-6">
      <header>
        <h1 className="font-semibold text-xl">Tags</h1>
        <p className="figures min-h-5 text-muted text-sm">
          {tags && countOf(used, 'tag')}
          {tags && tags.length >= maxListedTags && ', the most used ones'}
        </p>
      </header>
      {error && !tags && <LoadFailure what="tags" why={failureReason(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-96 rounded-md" />}
      {tags?.length === 0 && (
        <EmptyState
          drawing="tray"
          title="No tags yet"
          description="Tags that you or the AI add to items are listed here, to rename, merge or remove them everywhere at once."
        />
      )}
      {tags && tags.length > 0 && (
        <>
          <LikelyPairs undo={undo} />
          <div className="flex flex-wrap items-center gap-3">
            <Field label="Filter tags" isLabelHidden className="min-w-48 grow">
              <Input
                type="search"
                leading={<Search aria-hidden="true" />}
                placeholder="Filter tags"
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
            </Field>
            <SegmentedControl label="Order" value={order} onValueChange={setOrder} segments={orders} />
          </div>
          {sorted.length === 0 && <p className="py-8 text-center text-muted">No tags match "{text.trim()}".</p>}
          <ul aria-label="Tags" className="divide-y divide-line">
            {sorted.slice(0, rows).map((tag) => (
              <TagRow
                key={tag.tag}
                tag={tag}
                undo={undo}
                onMerge={(into) => setAsked({ kind: 'merge', tag, into })}
                onDelete={() => setAsked({ kind: 'delete', tag })}
              />
            ))}
          </ul>
          {sorted.length > rows && (
            <div className="flex justify-center">
              <Button onClick={() => setRows(rows + rowsAtOnce)}>Show more</Button>
            </div>
          )}
        </>
      )}
      {asked?.kind === 'merge' && <MergeTagDialog tag={asked.tag} into={asked.into} undo={undo} onClose={close} />}
      {asked?.kind === 'delete' && <DeleteTagDialog tag={asked.tag} undo={undo} onClose={close} />}
    </div>
  )
}
