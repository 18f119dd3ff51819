import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import { backupQueries } from './queries.ts'
import { afterAnswer, pollAfterMs } from './restore-flow.ts'
import { showRestoreResult } from './restore-result.ts'

type RunningRestoreProps = {
  /** A file was uploaded completely, but its response was lost. */
  isAwaited: boolean
  onEnd: () => void
}

/** The progress of a restore that another page started, or this one before a reload. */
export function RunningRestore({ isAwaited, onEnd }: RunningRestoreProps) {
  const queryClient = useQueryClient()
  const { data } = useQuery({ ...backupQueries.running(), ...(isAwaited && { refetchInterval: pollAfterMs }) })
  const wasRestoring = useRef(false)
  useEffect(() => {
    if (!data) return
    const hasEnded = wasRestoring.current && !data.isRestoring
    wasRestoring.current = data.isRestoring
    if (!hasEnded) return
    showRestoreResult(afterAnswer(data))
    onEnd()
    void queryClient.invalidateQueries({ queryKey: backupQueries.all() })
  }, [data, onEnd, queryClient])
  if (!data?.isRestoring)
    return (
      isAwaited && (
        <Card
          title="The restore may still start"
          description="The connection was lost after the file was sent. If the server received it, the restore appears here once the file is checked."
        />
      )
    )
  return (
    <Card title="A backup is being restored" description="You can't change anything else until it finishes.">
      <Progress label={data.message} value={data.progress} detail={`${Math.round(data.progress)}%`} />
    </Card>
  )
}
