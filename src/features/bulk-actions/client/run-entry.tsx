import { useRunProgress } from '#platform/client/run-progress.ts'
import { HistoryEntry } from '#ui/history-entry.tsx'
import { progressInWords } from '#ui/run-progress.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import type { RunUnderWay } from '../contract.ts'
import { useStopRun } from './bulk-mutations.ts'

/** A run that goes on, perhaps without the page that began it, in the history: how far it is, and the way to stop it. */
export function RunEntry({ run, when }: { run: RunUnderWay; when: string }) {
  const { runId, title } = run
  const stop = useStopRun()
  const live = useRunProgress(runId)
  const progress = live && live.done > run.done ? live : run
  return (
    <HistoryEntry
      title={title}
      detail={`${progressInWords(progress)} · ${when}`}
      isUndone={false}
      isPending={false}
      action={<StopButton size="sm" isStopping={stop.isPending || stop.isSuccess} onStop={() => stop.mutate(runId)} />}
    />
  )
}
