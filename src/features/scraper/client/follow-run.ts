import { ApiError } from '#platform/client/call.ts'
import { readEvents } from '#platform/client/read-events.ts'
import { scraperApi } from '../contract.ts'
import type { Follow } from './read-run.ts'

const firstPauseMs = 2000
const longestPauseMs = 30_000

/** Follows a run until it is complete, reconnecting after lost connections and gateway errors. */
export const followRun: Follow = async (runId, onProgress, signal) => {
  let pauseMs = firstPauseMs
  for (;;) {
    try {
      for await (const progress of readEvents(scraperApi.follow, { query: { runId } }, { signal })) {
        pauseMs = firstPauseMs
        onProgress(progress)
        if (progress.step === 'complete') return
      }
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500
      if (signal.aborted || isRefused) throw error
      onProgress(undefined)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}
