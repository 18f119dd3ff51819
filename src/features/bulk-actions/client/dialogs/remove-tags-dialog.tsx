import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { tagQueries } from '#features/tags/client/queries.ts'
import { failureReason } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { fold } from '#shared/fold.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { useBulkRemoveTags } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

/** A filter is shown above this number of tags. */
const filteredAbove = 12

/** The tags of the selected items and how many have each. */
export function RemoveTagsDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const { data: tags, isPending, error, refetch } = useQuery(tagQueries.ofItems(mediaIds))
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [text, setText] = useState('')
  const runId = useRunId()
  const removeTags = useBulkRemoveTags()
  const shown = (tags ?? []).filter(({ tag }) => fold(tag).includes(fold(text.trim())))
  const toggle = (tag: string, isChosen: boolean) =>
    setChosen(isChosen ? [...chosen, tag] : chosen.filter((other) => other !== tag))
  return (
    <BulkDialog
      title="Remove Tags"
      description={`Choose the tags to remove from ${countOf(mediaIds.length, 'item')}.`}
      submitLabel={chosen.length > 0 ? `Remove ${countOf(chosen.length, 'Tag')}` : 'Remove Tags'}
      isDisabled={chosen.length === 0}
      isPending={removeTags.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        removeTags.mutate(
          { mediaIds: [...mediaIds], runId, tags: [...chosen] },
          { onSuccess: (outcome) => onDone(failedIn(outcome)) },
        )
      }
    >
      {isPending && <Spinner label="Loading tags" />}
      {error && !tags && <LoadFailure what="tags" why={failureReason(error)} onRetry={() => void refetch()} />}
      {tags?.length === 0 && <p className="text-muted">The selected items have no tags.</p>}
      {tags && tags.length > filteredAbove && (
        <Field label="Filter tags">
          <Input type="search" value={text} onChange={({ target }) => setText(target.value)} />
        </Field>
      )}
      {tags && tags.length > 0 && (
        <ul aria-label="Tags" className="max-h-[min(20rem,40dvh)] overflow-y-auto overscroll-contain">
          {shown.map(({ tag, count }) => (
            <li
              key={tag}
              className="flex items-center gap-3 py-1.5 pointer-coarse:py-2.5 [contain-intrinsic-height:2.125rem] [content-visibility:auto]"
            >
              <Checkbox
                className="min-w-0 grow"
                label={<bdi className="wrap-anywhere">{tag}</bdi>}
                checked={chosen.includes(tag)}
                onCheckedChange={(isChosen) => toggle(tag, isChosen)}
              />
              <span className="figures shrink-0 text-muted text-sm">
                {count === mediaIds.length
                  ? 'all'
                  : `${count.toLocaleString('en')} of ${mediaIds.length.toLocaleString('en')}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </BulkDialog>
  )
}
