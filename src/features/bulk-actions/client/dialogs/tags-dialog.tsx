import { useState } from 'react'
import { TagInput } from '#features/media/client/tag-input.tsx'
import { addTags as addTyped } from '#features/media/client/viewer/edit-draft.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Chip } from '#ui/chip.tsx'
import { Field } from '#ui/forms/field.tsx'
import { useBulkAddTags } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function TagsDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const [text, setText] = useState('')
  const tags = addTyped([], text)
  const runId = useRunId()
  const addTags = useBulkAddTags()
  return (
    <BulkDialog
      title="Add Tags"
      description={`The tags are added to ${countOf(mediaIds.length, 'item')}; existing tags are kept.`}
      submitLabel="Add Tags"
      isDisabled={tags.length === 0}
      isPending={addTags.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        addTags.mutate({ mediaIds: [...mediaIds], runId, tags }, { onSuccess: (outcome) => onDone(failedIn(outcome)) })
      }
    >
      <Field label="Tags" hint="Separate tags with commas.">
        <TagInput
          value={text}
          present={tags}
          placeholder="beach, summer, friends"
          onValueChange={setText}
          onChoose={(tag) => setText(`${[...completed(text), tag].join(', ')}, `)}
        />
      </Field>
      {tags.length > 0 && (
        <ul aria-label="Preview" className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li key={tag} className="max-w-full">
              <Chip>{tag}</Chip>
            </li>
          ))}
        </ul>
      )}
    </BulkDialog>
  )
}

/** The tags before the one that is being typed. */
const completed = (text: string) => addTyped([], text.slice(0, text.lastIndexOf(',') + 1))
