import type { Kysely } from 'kysely'
import type { Db, Tables } from '#platform/server/db/tables.ts'

/** A change that is under way, so that others read what was before and wait to write, until it is told to end. */
export async function beginChange(db: Kysely<Tables>, change: (transaction: Db) => Promise<unknown>) {
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
