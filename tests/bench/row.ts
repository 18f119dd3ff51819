import type { Measurement } from '../support/measurements.ts'
import type { Workspace } from './workspace.ts'

/** Measures one row of the table, or several that share their data. */
export type Row = (workspace: Workspace) => Promise<Measurement[]>

export const times = (ratio: number) => `${ratio.toFixed(2)}x`
export const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
export const mib = (value: number) => `${value.toFixed(0)} MiB`
/** The wall time, which is printed but not judged, because it depends on the load of the machine. */
export const wall = (wallMs: number) => `wall ${wallMs < 10_000 ? ms(wallMs) : `${(wallMs / 1000).toFixed(1)} s`}`
