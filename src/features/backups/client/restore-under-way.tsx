import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import { backupQueries } from './queries.ts'
import { tellEnd } from './restore-end.ts'
import { afterAnswer } from './restore-flow.ts'

/** A restore that another page began, or this one before it was loaded anew: it is told here how far it is and how it ends. */
export function RestoreUnderWay() {
  const queryClient = useQueryClient()
  const { data } = useQuery(backupQueries.underWay())
  const wasRestoring = useRef(false)
  useEffect(() => {
    if (!data) return
    const hasEnded = wasRestoring.current && !data.isRestoring
    wasRestoring.current = data.isRestoring
    if (!hasEnded) return
    tellEnd(afterAnswer(data))
    void queryClient.invalidateQueries({ queryKey: backupQueries.all() })
  }, [data, queryClient])
  if (!data?.isRestoring) return null
  return (
    <Card title="A backup is being restored" description="Nothing else can be changed until it is done.">
      <Progress label={data.message} value={data.progress} detail={`${Math.round(data.progress)}%`} />
    </Card>
  )
}
