import { countOf } from '#shared/count.ts'
import { HistoryEntry } from '#ui/history-entry.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import type { PastRun } from '../contract.ts'
import { useCancelRun, useRevertRun } from './mutations.ts'

const titles = { tag: 'AI Tag', rename: 'AI Rename Images' }

/** A run of the AI in the history: one that goes on can be stopped, one that is over can be undone. */
export function AiRunEntry({ run, when }: { run: PastRun; when: string }) {
  const { runId, kind, status, total, successful, failed } = run
  const revert = useRevertRun()
  const cancel = useCancelRun()
  const isStopping = cancel.isPending || cancel.isSuccess
  const isRunning = status === 'running'
  const count = isRunning
    ? `${(successful + failed).toLocaleString('en')} of ${countOf(total, 'item')}`
    : countOf(successful, 'item')
  const failures = failed > 0 ? ` · ${failed.toLocaleString('en')} failed` : ''
  const canUndo = (status === 'done' || status === 'cancelled') && successful > 0
  return (
    <HistoryEntry
      title={titles[kind]}
      detail={`${count}${failures} · ${when}`}
      isUndone={status === 'reverted'}
      isPending={revert.isPending}
      onUndo={canUndo ? () => revert.mutate(runId) : undefined}
      action={isRunning && <StopButton size="sm" isStopping={isStopping} onStop={() => cancel.mutate(runId)} />}
    />
  )
}
