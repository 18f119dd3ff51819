import type { RunProgress } from '../contract.ts'

/** `undefined` while the connection is lost. */
type OnProgress = (progress: RunProgress | undefined) => void
/** Reports a run's progress until it is complete; rejects when its state cannot be known. */
export type Listen = (onProgress: OnProgress, signal: AbortSignal) => Promise<void>
export type Follow = (runId: number, onProgress: OnProgress, signal: AbortSignal) => Promise<void>

type Reading = { events: AsyncIterable<RunProgress>; follow: Follow; signal: AbortSignal }

/** Reads a run to its end. If the stream breaks after the run has started, the run continues and is followed. */
export async function readRun({ events, follow, signal }: Reading, onProgress: OnProgress) {
  let last: RunProgress | undefined
  try {
    for await (const progress of events) {
      last = progress
      onProgress(progress)
    }
  } catch (error) {
    if (!last || signal.aborted) throw error
  }
  if (last?.step === 'complete') return
  if (!last) throw new Error('Expected progress events of the upload, received nothing')
  await follow(last.runId, onProgress, signal)
}
