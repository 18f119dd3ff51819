import type { Measurement } from '../support/measurements.ts'
import type { Cluster } from './cluster.ts'

/** One promise of several processes, or a few that are shown together. */
export type Row = (cluster: Cluster) => Promise<Measurement[]>

/** A row without context; only throughput is compared with something. */
export function counted(what: string, row: Omit<Measurement, 'what' | 'context'>): Measurement {
  return { what, context: '', ...row }
}

export function percentile(values: readonly number[], share: number) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const ms = (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
