import { sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Db } from './tables.ts'

const hourMs = 3600_000

/** When a lease that is taken or renewed now will end, by the one clock that all processes share. */
export const leaseEnd = (db: Db, leaseMs: number) => sql<number>`${dialectOf(db).now()} + ${leaseMs}`

/** A lease is over when its time is; or when that is further away than any lease lasts, as after a clock that ran ahead. */
export function isLeaseOver(db: Db, column: string, leaseMs: number) {
  const until = sql.ref(column)
  return sql<boolean>`(${until} < ${dialectOf(db).now()} OR ${until} > ${leaseEnd(db, leaseMs + hourMs)})`
}
