import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { useBulkCopy } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function CopyManyDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const runId = useRunId()
  const copy = useBulkCopy()
  return (
    <BulkDialog
      title="Copy Images"
      description={`${countOf(mediaIds.length, 'item')} will be copied with descriptions and tags. The names of the copies start with "Copy of".`}
      submitLabel={`Copy ${countOf(mediaIds.length, 'item')}`}
      isPending={copy.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={() =>
        copy.mutate({ mediaIds: [...mediaIds], runId }, { onSuccess: (outcome) => onDone(failedIn(outcome)) })
      }
    />
  )
}
