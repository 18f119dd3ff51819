import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { countBlocked, isOnPostgres } from './postgres.ts'
import { until } from './until.ts'

/** Opens a transaction and keeps it open until `end` is called; meanwhile others read the old state and wait to write. */
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

/** Resolves when `count` others wait to write. SQLite cannot tell, so there it waits for a moment instead. */
export async function untilBlocked(db: Db, count: number) {
  if (isOnPostgres)
    await until(`${count} connections wait for a lock`, async () => (await countBlocked(db)) >= count, { everyMs: 10 })
  else await delay(150)
}
