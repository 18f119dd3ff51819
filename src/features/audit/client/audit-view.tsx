import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { useRunProgress } from '#platform/client/run-progress.ts'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card, FigureCard } from '#ui/card.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Progress as ProgressBar } from '#ui/progress.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import type { Audit, Progress } from '../contract.ts'
import { useResumeAudit, useStopAudit } from './mutations.ts'
import { PageTable } from './page-table.tsx'
import { PicturesCard } from './pictures-card.tsx'
import { auditQueries, type PictureView } from './queries.ts'
import { StatusBadge } from './status-badge.tsx'

/** One audit: how far it is, what it found, and what can be done with the pictures. */
export function AuditView({ id }: { id: number }) {
  const { data: audit, error, refetch } = useQuery(auditQueries.one(id))
  const [view, setView] = useState<PictureView>({ page: 1 })
  useRefreshOnProgress(id, audit)
  if (error && !audit) return <LoadFailure what="the audit" why={failureReason(error)} onRetry={() => void refetch()} />
  if (!audit) return <Skeleton className="h-60 rounded-md" />
  return (
    <div className="flex flex-col gap-5">
      <StatusCard audit={audit} />
      <Figures audit={audit} />
      {(audit.pages.length > 1 || audit.pages.some(({ error, hint }) => error ?? hint)) && (
        <PageTable
          pages={audit.pages}
          chosen={view.onPage}
          onChoose={(onPage) => setView({ ...view, onPage, page: 1 })}
        />
      )}
      <PicturesCard audit={audit} view={view} onViewChange={setView} />
    </div>
  )
}

/** Each event of the audit or its measuring brings new results. */
function useRefreshOnProgress(id: number, audit: Audit | undefined) {
  const queryClient = useQueryClient()
  const auditing = useRunProgress(audit?.progress.runId)
  const measuring = useRunProgress(audit?.measuring?.runId)
  const news = [auditing, measuring].map((run) => run && `${run.done} ${run.isRunning}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change is news
  useEffect(() => {
    if (auditing || measuring) void queryClient.invalidateQueries({ queryKey: [...auditQueries.all(), id] })
  }, [news])
}

function StatusCard({ audit }: { audit: Audit }) {
  const { website, status, progress, measuring, isTruncated, pages } = audit
  const resume = useResumeAudit(audit)
  const failed = countOf(progress.failed, 'page')
  return (
    <Card
      title={`Audit of ${website}`}
      description={`${countOf(pages.length, 'page')}. Kept for a day.`}
      action={<StatusBadge status={status} />}
    >
      <div className="flex flex-col gap-3">
        {progress.isRunning && <RunningRow audit={audit} label="Auditing pages" noun="page" progress={progress} />}
        {measuring?.isRunning && (
          <RunningRow audit={audit} label="Measuring savings" noun="picture" progress={measuring} />
        )}
        {status === 'stopped' && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-muted">{countOf(progress.total - progress.done, 'page')} not audited.</p>
            <Button size="sm" isPending={resume.isPending} onClick={() => resume.mutate()}>
              Resume
            </Button>
          </div>
        )}
        {!progress.isRunning && progress.failed > 0 && (
          <Alert title={`${failed} could not be read`}>
            {pages.length === 1 ? pages[0]!.error : 'The list below says why.'}
          </Alert>
        )}
        {isTruncated && <Alert tone="info">The sitemap has more pages. The first {pages.length} are audited.</Alert>}
        {!progress.isRunning && !measuring?.isRunning && status === 'ended' && progress.failed === 0 && (
          <p className="text-muted">{conclusion(audit)}</p>
        )}
      </div>
    </Card>
  )
}

function conclusion({ totals: { pictures, withProblems } }: Audit) {
  if (pictures === 0) return 'No pictures were found.'
  if (withProblems === 0) return 'No problems were found.'
  const verb = withProblems === 1 ? 'has' : 'have'
  return `${withProblems.toLocaleString('en')} of ${countOf(pictures, 'picture')} ${verb} problems.`
}

type RunningRowProps = { audit: Audit; label: string; noun: string; progress: Progress }

function RunningRow({ audit, label, noun, progress }: RunningRowProps) {
  const stop = useStopAudit(audit)
  const { done, total, failed } = progress
  const detail = `${done} of ${countOf(total, noun)}${failed > 0 ? ` · ${failed} failed` : ''}`
  return (
    <div className="flex items-end gap-4">
      <ProgressBar label={label} value={(100 * done) / total} detail={detail} className="grow" />
      <StopButton size="sm" isStopping={stop.isPending || audit.status === 'stopping'} onStop={() => stop.mutate()} />
    </div>
  )
}

function Figures({ audit: { totals } }: { audit: Audit }) {
  const { pictures, withProblems, bytes, measured, measuredBytes, savedBytes } = totals
  const percent = measuredBytes > 0 ? Math.round((100 * savedBytes) / measuredBytes) : 0
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <FigureCard label="Pictures" value={pictures} />
      <FigureCard label="With problems" value={withProblems} />
      <FigureCard label="Weight" value={formatBytes(bytes)} />
      <FigureCard
        label="Savings"
        value={measured > 0 ? formatBytes(savedBytes) : '–'}
        detail={measured > 0 ? `${percent}% of ${countOf(measured, 'measured picture')}` : 'Not measured'}
      />
    </div>
  )
}
