import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { useBulkDelete } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function DeleteManyDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const runId = useRunId()
  const remove = useBulkDelete()
  return (
    <BulkDialog
      title="Delete Images"
      description={`${countOf(mediaIds.length, 'item')} will be deleted for good, with descriptions, tags and public addresses. This action cannot be undone.`}
      submitLabel={`Delete ${countOf(mediaIds.length, 'item')}`}
      tone="danger"
      isPending={remove.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        remove.mutate({ mediaIds: [...mediaIds], runId }, { onSuccess: (outcome) => onDone(failedIn(outcome)) })
      }
    />
  )
}
