import { useSyncExternalStore } from 'react'
import type { RunProgress } from '#platform/runs.ts'

/** How far the runs of this page have come, by run; live events fill it. */
const runs = new Map<string, RunProgress>()
const listeners = new Set<() => void>()

/** A page shows one of them; the others belong to other tabs, or have ended. */
const mostRuns = 20

export function noteProgress(progress: RunProgress) {
  // Moved to the end: the first entry is the one that was silent for longest.
  runs.delete(progress.runId)
  runs.set(progress.runId, progress)
  if (runs.size > mostRuns) runs.delete(runs.keys().next().value!)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useRunProgress(runId: string | undefined): RunProgress | undefined {
  return useSyncExternalStore(subscribe, () => (runId ? runs.get(runId) : undefined))
}
