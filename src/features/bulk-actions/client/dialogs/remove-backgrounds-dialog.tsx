import { useState } from 'react'
import { CutOutFormatField } from '#features/conversion/client/cut-out-format-field.tsx'
import type { CutOutFormat } from '#features/conversion/contract.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { useBulkRemoveBackground, useStopRun } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'

export function RemoveBackgroundsDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const [format, setFormat] = useState<CutOutFormat>('webp')
  // Each format is a separate run, as the server answers a repeated run id with the first run's result.
  const runId = `${useRunId()}-${format}`
  const remove = useBulkRemoveBackground()
  const stop = useStopRun()
  const runningId = remove.variables?.runId ?? runId
  const count = countOf(mediaIds.length, 'item')

  function start() {
    stop.reset()
    remove.mutate(
      { mediaIds: [...mediaIds], runId, format },
      { onSuccess: (outcome) => onDone([...failedIn(outcome), ...outcome.left]) },
    )
  }

  return (
    <BulkDialog
      title="Remove background"
      description={`Adds a copy of ${count} without the background. Videos and animations can't be processed and stay selected.`}
      submitLabel={`Process ${count}`}
      isPending={remove.isPending}
      runId={runningId}
      onStop={() => stop.mutate(runningId)}
      isStopping={stop.isPending || stop.isSuccess}
      onClose={onClose}
      onSubmit={start}
    >
      <CutOutFormatField value={format} onValueChange={setFormat} />
    </BulkDialog>
  )
}
