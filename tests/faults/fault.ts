import type { Measurement } from '../support/measurements.ts'

interface FaultOptions {
  /** As asked for on the command line, else the number that the promise names. */
  rounds(promised: number): number
  /** The numbers of the rounds, as many as that, or until the time given to each misfortune is over. */
  eachRound(promised: number): Iterable<number>
  /** How long the soak lasts. */
  minutes: number
}

/** One kind of misfortune: brings it about, looks at what is left, and gives back a line for each promise. */
export type Fault = (options: FaultOptions) => Promise<Measurement[]>

/** Most promises are counted, not compared with a bare limit. */
export function counted(what: string, row: Omit<Measurement, 'what' | 'context'> & { context?: string }): Measurement {
  return { what, context: '', ...row }
}

export const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** The value that 95 of 100 stay below. */
export function percentile(values: readonly number[], share = 0.95) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
