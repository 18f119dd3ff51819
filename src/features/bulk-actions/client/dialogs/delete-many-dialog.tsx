import { useState } from 'react'
import { presentView } from '#features/media/client/use-library-view.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { useBulkDelete } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function DeleteManyDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const runId = useRunId()
  const remove = useBulkDelete()
  /** Items restored in another tab while the dialog is open must not be deleted. */
  const [onlyTrashed] = useState(() => presentView().filter === 'trash')
  return (
    <BulkDialog
      title="Delete Images"
      description={`${countOf(mediaIds.length, 'item')} will be permanently deleted, with descriptions, tags and public links. This action cannot be undone.`}
      submitLabel={`Delete ${countOf(mediaIds.length, 'item')}`}
      tone="danger"
      isPending={remove.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        remove.mutate(
          { mediaIds: [...mediaIds], runId, onlyTrashed },
          { onSuccess: (outcome) => onDone(failedIn(outcome)) },
        )
      }
    />
  )
}
