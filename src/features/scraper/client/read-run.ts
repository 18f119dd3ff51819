import type { RunProgress } from '../contract.ts'

/** `undefined` when nothing is heard of it for the moment. */
type OnProgress = (progress: RunProgress | undefined) => void
/** Tells of a run until it is complete; rejects when that cannot be known. */
export type Listen = (onProgress: OnProgress, signal: AbortSignal) => Promise<void>
export type Follow = (runId: number, onProgress: OnProgress, signal: AbortSignal) => Promise<void>

type Reading = { events: AsyncIterable<RunProgress>; follow: Follow; signal: AbortSignal }

/** Reads a run to its end. When the line breaks after the run has begun, it goes on at the server, and is followed there. */
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
  if (!last) throw new Error('Expected the upload to tell of its progress, received nothing')
  await follow(last.runId, onProgress, signal)
}
