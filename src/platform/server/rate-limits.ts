import { sql } from 'kysely'
import { tooManyAttempts } from '#platform/errors.ts'
import { countOf } from '#shared/count.ts'
import type { Db } from './db/tables.ts'

export type Limit = { name: string; max: number; windowMs: number }

/**
 * [Note: Limits live in the database]
 * Rate limits are stored in the database, so they survive restarts and are shared by all processes. A window that ends
 * implausibly late was started while the clock was wrong, and counts as expired.
 */
export async function checkRateLimits(db: Db, limits: Limit[]) {
  const now = Date.now()
  for (const { name, max, windowMs } of limits) {
    const row = await db
      .selectFrom('attempts')
      .selectAll()
      .where('name', '=', name)
      .where('resets_at', '>', now)
      .where('resets_at', '<=', latestPlausibleEnd(now, windowMs))
      .executeTakeFirst()
    if (row && row.count >= max) throw limitExceeded(row.resets_at - now)
  }
}

/** One window of tolerance, since the clocks of two processes may differ. */
const latestPlausibleEnd = (now: number, windowMs: number) => now + 2 * windowMs

function limitExceeded(remainingMs: number) {
  const seconds = Math.ceil(remainingMs / 1000)
  return tooManyAttempts(`Too many attempts. Please try again in ${formatWait(seconds)}.`, seconds)
}

/** Counts before it compares, so that simultaneous attempts, in any number of processes, cannot exceed a limit. */
export async function consumeRateLimits(db: Db, limits: Limit[]) {
  const now = Date.now()
  for (const { name, max, windowMs } of limits) {
    const isOpen = sql`attempts.resets_at > ${now} AND attempts.resets_at <= ${latestPlausibleEnd(now, windowMs)}`
    const { count, resets_at } = await db
      .insertInto('attempts')
      .values({ name, count: 1, resets_at: now + windowMs })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({
          count: sql<number>`CASE WHEN ${isOpen} THEN attempts.count + 1 ELSE 1 END`,
          resets_at: sql<number>`CASE WHEN ${isOpen} THEN attempts.resets_at ELSE excluded.resets_at END`,
        }),
      )
      .returning(['count', 'resets_at'])
      .executeTakeFirstOrThrow()
    if (count > max) throw limitExceeded(resets_at - now)
  }
}

/** Undoes one count, for limits that count only failures. */
export async function refundRateLimit(db: Db, { name }: Limit) {
  await db
    .updateTable('attempts')
    .set((set) => ({ count: set('count', '-', 1) }))
    .where('name', '=', name)
    .where('count', '>', 0)
    .execute()
}

export async function resetRateLimit(db: Db, name: string) {
  await db.deleteFrom('attempts').where('name', '=', name).execute()
}

/** Remembers a success for a while, such as a sign-in from an address; stored and expired like the limits. */
export async function rememberSuccess(db: Db, name: string, forMs: number) {
  const resets_at = Date.now() + forMs
  await db
    .insertInto('attempts')
    .values({ name, count: 0, resets_at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ resets_at }))
    .execute()
}

export async function isSuccessRemembered(db: Db, name: string) {
  const row = await db
    .selectFrom('attempts')
    .select('name')
    .where('name', '=', name)
    .where('resets_at', '>', Date.now())
    .executeTakeFirst()
  return row !== undefined
}

export async function removeExpiredLimits(db: Db) {
  await db.deleteFrom('attempts').where('resets_at', '<=', Date.now()).execute()
}

function formatWait(seconds: number) {
  const minutes = Math.ceil(seconds / 60)
  return seconds < 60 ? countOf(seconds, 'second') : minutes === 1 ? 'a minute' : `${minutes} minutes`
}
