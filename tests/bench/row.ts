import type { Measurement } from '../support/measurements.ts'
import type { Workshop } from './workshop.ts'

/** One row of the table, or a few that share their data. */
export type Row = (workshop: Workshop) => Promise<Measurement[]>

export const times = (ratio: number) => `${ratio.toFixed(2)}x`
export const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
export const mib = (value: number) => `${value.toFixed(0)} MiB`
/** Behind a figure that is judged: what the clock said, which is noise where others use the machine too. */
export const wall = (wallMs: number) => `wall ${wallMs < 10_000 ? ms(wallMs) : `${(wallMs / 1000).toFixed(1)} s`}`
