import { useRunProgress } from '#platform/client/run-progress.ts'
import { countOf } from '#shared/count.ts'
import { HistoryEntry } from '#ui/history-entry.tsx'
import { progressInWords } from '#ui/run-progress.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import type { PastRun } from '../contract.ts'
import { useCancelRun, useRevertRun } from './mutations.ts'

const titles = { tag: 'AI Tag', rename: 'AI Rename Images', 'alt-text': 'Write Alt Texts' }

/** An AI run in the history. A running one can be stopped, a finished one can be undone. */
export function AiRunEntry({ run, when }: { run: PastRun; when: string }) {
  const { runId, kind, status, total, successful, failed } = run
  const revert = useRevertRun()
  const cancel = useCancelRun()
  const isStopping = cancel.isPending || cancel.isSuccess
  const isRunning = status === 'running'
  const progress = useRunProgress(isRunning ? runId : undefined) ?? { done: successful + failed, failed, total }
  const failures = failed > 0 ? ` · ${failed.toLocaleString('en')} failed` : ''
  const counts = isRunning ? progressInWords(progress) : `${countOf(successful, 'item')}${failures}`
  const canUndo = (status === 'done' || status === 'cancelled') && successful > 0
  return (
    <HistoryEntry
      title={titles[kind]}
      detail={`${counts} · ${when}`}
      isUndone={status === 'reverted'}
      isPending={revert.isPending}
      onUndo={canUndo ? () => revert.mutate(runId) : undefined}
      action={isRunning && <StopButton size="sm" isStopping={isStopping} onStop={() => cancel.mutate(runId)} />}
    />
  )
}
