import type { ReactNode } from 'react'
import { relativeDate } from '#shared/dates.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { ViewedMedia } from '../../contract.ts'
import { trashDays } from '../../limits.ts'
import { RetryProcessing } from '../retry-processing.tsx'
import { useServices } from '../use-services.ts'
import { useAnalyze, useCancelAnalysis } from './viewer-mutations.ts'

/** Explains what failed or is still in progress, with a retry button. */
export function StatusNotices({ media }: { media: ViewedMedia }) {
  const analyze = useAnalyze()
  const cancel = useCancelAnalysis()
  const { hasAi } = useServices()
  const hasFailed = media.playback === 'failed'
  const isWaiting = media.aiStatus === 'waiting' || analyze.isPending
  const isLost = media.file !== 'ok'
  if (!isLost && !hasFailed && !isWaiting && !media.trashedAt && media.aiStatus !== 'failed') return null
  return (
    <div className="flex flex-col gap-2 px-5 pb-4">
      {media.trashedAt && (
        <Alert tone="info" title="In the Trash">
          Moved here {relativeDate(media.trashedAt).toLowerCase()}. It is permanently deleted after {trashDays} days.
        </Alert>
      )}
      {isLost && (
        <Alert title={`File ${media.file}`}>
          This item's file is {media.file}. To recover it, upload the same file again or ask an administrator to restore
          a backup that contains it.
        </Alert>
      )}
      {hasFailed && (
        <Alert title="Processing failed" action={!media.trashedAt && <RetryProcessing media={media} size="sm" />}>
          {media.processingError ?? "Couldn't process the file."}
        </Alert>
      )}
      {isWaiting && (
        <UnderWay
          action={
            <Button size="sm" variant="quiet" isPending={cancel.isPending} onClick={() => cancel.mutate(media.id)}>
              Cancel
            </Button>
          }
        >
          {waitingWords(media)}
        </UnderWay>
      )}
      {media.aiStatus === 'failed' && !isWaiting && (
        <Alert
          title="AI analysis failed"
          action={
            hasAi && (
              <Button size="sm" onClick={() => analyze.mutate(media.id)}>
                Retry
              </Button>
            )
          }
        >
          {media.aiError ?? "Couldn't analyze the item."}
        </Alert>
      )}
    </div>
  )
}

/** Gives the reason for waiting, such as a rate limit of the AI endpoint. */
function waitingWords({ aiStatus, aiError }: ViewedMedia): string {
  return aiStatus === 'waiting' && aiError ? `AI analysis is waiting: ${aiError}` : 'Analyzing…'
}

function UnderWay({ action, children }: { action?: ReactNode; children: string }) {
  return (
    <div className="flex items-center gap-2 text-muted text-sm">
      <Spinner />
      <p role="status" className="min-w-0 grow">
        {children}
      </p>
      {action}
    </div>
  )
}
