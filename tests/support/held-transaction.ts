import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { countBlocked, isOnPostgres } from './postgres.ts'
import { until } from './until.ts'

/** A change that is under way, so that others read what was before and wait to write, until it is told to end. */
export async function holdTransaction(db: Kysely<Tables>, change: (transaction: Db) => Promise<unknown>) {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = db.transaction().execute(async (transaction) => {
    await change(transaction)
    begun.resolve()
    await ended.promise
  })
  await Promise.race([begun.promise, done])
  return {
    end() {
      ended.resolve()
      return done
    },
  }
}

/** Resolves when so many have read what was before and wait to write. SQLite does not tell who waits; there it is guessed. */
export async function untilBlocked(db: Db, count: number) {
  if (isOnPostgres) await until(`${count} wait`, async () => (await countBlocked(db)) >= count, { everyMs: 10 })
  else await delay(150)
}
