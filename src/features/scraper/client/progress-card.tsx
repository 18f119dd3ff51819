import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { toastError } from '#ui/notices/toast.ts'
import { Progress } from '#ui/progress.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import type { RunProgress, scraperApi } from '../contract.ts'
import { progressPercent } from './progress-percent.ts'

/** `progress` is null until the server's first event. */
export function ProgressCard({ progress }: { progress: RunProgress | null }) {
  const ref = useRef<HTMLDivElement>(null)
  // The button that started the upload may be far below.
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'center' })
  }, [])
  const percent = Math.round(progressPercent(progress))
  const { successCount, errorCount } = progress?.results ?? { successCount: 0, errorCount: 0 }
  return (
    <div ref={ref}>
      <Card
        title="Uploading images"
        description="You can leave this page; the upload continues."
        action={
          <Badge>
            {progress?.current ?? 0}/{progress?.total ?? 0}
          </Badge>
        }
      >
        <Progress label={progress?.message ?? 'Sending the list…'} value={percent} detail={`${percent}%`} />
        <p className="figures flex gap-4 pt-3 text-muted text-sm">
          <span>{successCount} uploaded</span>
          <span className={errorCount > 0 ? 'text-danger' : undefined}>{errorCount} failed</span>
        </p>
        {progress && <StopUpload progress={progress} />}
      </Card>
    </div>
  )
}

/** Images that are being fetched are still finished. */
function StopUpload({ progress: { runId, stoppedCount } }: { progress: RunProgress }) {
  const cancel = useMutation({
    mutationFn: () => call<typeof scraperApi.cancelRun>('POST /api/scrape-runs/:id/cancel', { params: { id: runId } }),
    onError: (error) => toastError("Couldn't stop", messageOf(error, 'Please try again.'), connectionProblem(error)),
  })
  const isStopping = cancel.isPending || cancel.isSuccess || stoppedCount > 0
  return <StopButton className="mt-4" isStopping={isStopping} onStop={() => cancel.mutate()} />
}
