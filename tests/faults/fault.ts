import type { Measurement } from '../support/measurements.ts'

interface FaultOptions {
  /** The number of rounds from the command line, or the goal's number. */
  rounds(promised: number): number
  /** The round numbers, until that many or until the time limit of the test is over. */
  eachRound(promised: number): Iterable<number>
  /** The duration of the soak test. */
  minutes: number
}

/** Causes one kind of fault, checks the result, and returns a row for each goal. */
export type Fault = (options: FaultOptions) => Promise<Measurement[]>

/** A row without a comparison. */
export function counted(what: string, row: Omit<Measurement, 'what' | 'context'> & { context?: string }): Measurement {
  return { what, context: '', ...row }
}

export const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** The 95th percentile by default. */
export function percentile(values: readonly number[], share = 0.95) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
