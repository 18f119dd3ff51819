import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { AiProvider } from '#engines/ai/provider.ts'
import { countBlocked, isOnPostgres } from '#tests/support/postgres.ts'
import { testDatabase } from '#tests/support/test-database.ts'
import { loadUsage, payFor } from './budget.ts'

const paid = { isPaid: true } as AiProvider
const ownerId = 5

test('a paid call that cannot be refunded stays counted and causes no error', async (context) => {
  const { db } = await testDatabase(context)
  const pay = payFor({ db, limits: {}, ownerId }, paid)!
  const paying = pay(async () => {
    await db.schema.alterTable('ai_usage').renameTo('away').execute()
    return { isFree: true }
  })
  await assert.doesNotReject(paying)
  await db.schema.alterTable('away').renameTo('ai_usage').execute()
  assert.deepEqual(await loadUsage(db, ownerId), { own: 1, all: 1 })
})

if (isOnPostgres) {
  test('counting a paid call and refunding one at the same moment do not deadlock', async (context) => {
    const { db } = await testDatabase(context)
    const touch = (connection: typeof db, id: number) =>
      connection.updateTable('ai_usage').set({ calls: sql`calls` }).where('owner_id', '=', id).execute()

    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<{ isFree: boolean }>()
    const asking = payFor({ db, limits: {}, ownerId }, paid)!(() => {
      asked.resolve()
      return answered.promise
    })
    await asked.promise
    // The owner's row now comes before the server's row, and `touch` updates PostgreSQL's statistics about the small table.
    await touch(db, 0)
    await sql`ANALYZE ai_usage`.execute(db)
    await db.transaction().execute(async (transaction) => {
      await touch(transaction, 0)
      answered.resolve({ isFree: true })
      while (!(await countBlocked(db)));
      await touch(transaction, ownerId)
    })
    await asking
    assert.deepEqual(await loadUsage(db, ownerId), { own: 0, all: 0 })
  })
}
