import { sql } from 'kysely'
import { tooManyAttempts } from '#platform/errors.ts'
import type { Db } from './db/tables.ts'

export type Limit = { name: string; max: number; windowMs: number }

/**
 * [Note: Limits live in the database]
 * So they hold over restarts and over all processes. A window that ends later than any can was begun while the clock was
 * wrong, and is over.
 */
export async function refuseWhenExhausted(db: Db, limits: Limit[]) {
  const now = Date.now()
  for (const { name, max, windowMs } of limits) {
    const row = await db
      .selectFrom('attempts')
      .selectAll()
      .where('name', '=', name)
      .where('resets_at', '>', now)
      .where('resets_at', '<=', latestEnd(now, windowMs))
      .executeTakeFirst()
    if (row && row.count >= max) throw exhausted(row.resets_at - now)
  }
}

/** The clocks of two processes differ a little, so a window more is granted. */
const latestEnd = (now: number, windowMs: number) => now + 2 * windowMs

function exhausted(remainingMs: number) {
  const seconds = Math.ceil(remainingMs / 1000)
  return tooManyAttempts(`Too many attempts. Please try again in ${inWords(seconds)}.`, seconds)
}

/** Counted first and compared then: tries at the same moment, in any number of processes, are no way around a limit. */
export async function countOrRefuse(db: Db, limits: Limit[]) {
  const now = Date.now()
  for (const { name, max, windowMs } of limits) {
    const isOpen = sql`attempts.resets_at > ${now} AND attempts.resets_at <= ${latestEnd(now, windowMs)}`
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
    if (count > max) throw exhausted(resets_at - now)
  }
}

/** For limits that only failures count towards: what succeeded was none. */
export async function takeBackAttempt(db: Db, { name }: Limit) {
  await db
    .updateTable('attempts')
    .set((set) => ({ count: set('count', '-', 1) }))
    .where('name', '=', name)
    .where('count', '>', 0)
    .execute()
}

export async function forgetAttempts(db: Db, name: string) {
  await db.deleteFrom('attempts').where('name', '=', name).execute()
}

/** A success that counts for a while, such as a sign-in from a place; kept beside the attempts, and removed as they are. */
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

export async function removeOldAttempts(db: Db) {
  await db.deleteFrom('attempts').where('resets_at', '<=', Date.now()).execute()
}

function inWords(seconds: number) {
  const minutes = Math.ceil(seconds / 60)
  return seconds < 60 ? `${seconds} seconds` : minutes === 1 ? 'a minute' : `${minutes} minutes`
}
