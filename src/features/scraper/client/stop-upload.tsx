import { useMutation } from '@tanstack/react-query'
import { call, messageOf } from '#platform/client/call.ts'
import { toastError } from '#ui/notices/toast.ts'
import { StopButton } from '#ui/stop-button.tsx'
import type { RunProgress, scraperApi } from '../contract.ts'

/** Takes effect after the images that are being fetched. */
export function StopUpload({ progress: { runId, stoppedCount } }: { progress: RunProgress }) {
  const cancel = useMutation({
    mutationFn: () => call<typeof scraperApi.cancelRun>('POST /api/scrape-runs/:id/cancel', { params: { id: runId } }),
    onError: (error) => toastError("Couldn't stop", messageOf(error, 'Please try again.')),
  })
  const isStopping = cancel.isPending || cancel.isSuccess || stoppedCount > 0
  return <StopButton className="mt-4" isStopping={isStopping} onStop={() => cancel.mutate()} />
}
