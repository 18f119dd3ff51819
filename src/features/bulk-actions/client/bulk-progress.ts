import { useSyncExternalStore } from 'react'
import { createListeners } from '#ui/listeners.ts'

export type BulkProgress = { done: number; total: number }

/** How far this page's long runs have come, by run; fed by live events. */
const runs = new Map<string, BulkProgress>()
const listeners = createListeners()

export function setBulkProgress(runId: string, progress: BulkProgress) {
  runs.set(runId, progress)
  listeners.tell()
}

export function useBulkProgress(runId: string | undefined): BulkProgress | undefined {
  return useSyncExternalStore(listeners.subscribe, () => (runId ? runs.get(runId) : undefined))
}
