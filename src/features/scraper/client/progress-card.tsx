import { useEffect, useRef } from 'react'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import type { RunProgress } from '../contract.ts'
import { progressPercent } from './progress-percent.ts'
import { StopUpload } from './stop-upload.tsx'

/** `progress` is null until the server has said the first word. */
export function ProgressCard({ progress }: { progress: RunProgress | null }) {
  const ref = useRef<HTMLDivElement>(null)
  // The upload may have been asked for far below.
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
