import { useSyncExternalStore } from 'react'
import { createListeners } from '#ui/listeners.ts'

type BulkProgress = { done: number; total: number }

/** How far this page's long runs have come, by run; fed by live events. */
const runs = new Map<string, BulkProgress>()
const listeners = createListeners()

/** A page shows one of them; the others are other tabs', or were. */
const mostRuns = 20

export function setBulkProgress(runId: string, progress: BulkProgress) {
  // Behind all others: the first is the one of which nothing was heard for longest.
  runs.delete(runId)
  runs.set(runId, progress)
  if (runs.size > mostRuns) runs.delete(runs.keys().next().value!)
  listeners.tell()
}

export function useBulkProgress(runId: string | undefined): BulkProgress | undefined {
  return useSyncExternalStore(listeners.subscribe, () => (runId ? runs.get(runId) : undefined))
}
