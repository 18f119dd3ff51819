import { useState } from 'react'
import { maxDescriptionLength } from '#features/media/limits.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Field } from '#ui/forms/field.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { useBulkDescribe } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function DescriptionDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const [description, setDescription] = useState('')
  const runId = useRunId()
  const describe = useBulkDescribe()
  return (
    <BulkDialog
      title="Edit Descriptions"
      description={`Replaces the description of ${countOf(mediaIds.length, 'item')}.`}
      submitLabel="Update Descriptions"
      isDisabled={!description.trim()}
      isPending={describe.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        describe.mutate(
          { mediaIds: [...mediaIds], runId, description: description.trim() },
          { onSuccess: (outcome) => onDone(failedIn(outcome)) },
        )
      }
    >
      <Field label="Description">
        <Textarea
          rows={4}
          value={description}
          maxLength={maxDescriptionLength}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
    </BulkDialog>
  )
}
