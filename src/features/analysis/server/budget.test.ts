import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aiError } from '#engines/ai/errors.ts'
import type { AiProvider } from '#engines/ai/provider.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { testDatabase } from '#tests/support/test-database.ts'
import { askWithinBudget, loadUsage } from './budget.ts'

const paid = { capabilities: { paid: true } } as AiProvider
const ownerId = 5

test('a call that cannot be given back does not hide why there was no answer', async (context) => {
  const { db } = await testDatabase(context)
  const asking = askWithinBudget({ db, limits: {}, ownerId }, paid, async () => {
    await db.schema.alterTable('ai_usage').renameTo('away').execute()
    throw aiError('rate', 'The endpoint is busy.')
  })
  await assert.rejects(asking, /The endpoint is busy/)
})

if (isOnPostgres) {
  test('counting a paid call and giving one back at the same moment do not wait for each other', async (context) => {
    const { db } = await testDatabase(context)
    const touch = (connection: typeof db, id: number) =>
      connection.updateTable('ai_usage').set({ calls: sql`calls` }).where('owner_id', '=', id).execute()
    const isSomebodyWaiting = async () =>
      (await sql`SELECT 1 FROM pg_locks WHERE NOT granted`.execute(db)).rows.length > 0

    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<never>()
    const asking = askWithinBudget({ db, limits: {}, ownerId }, paid, () => {
      asked.resolve()
      return answered.promise
    })
    await asked.promise
    // From now on the owner's row lies before the server's, and PostgreSQL knows, as it finds out by itself, how short the table is.
    await touch(db, 0)
    await sql`ANALYZE ai_usage`.execute(db)
    await db.transaction().execute(async (transaction) => {
      await touch(transaction, 0)
      answered.reject(aiError('rate', 'The endpoint is busy.'))
      while (!(await isSomebodyWaiting()));
      await touch(transaction, ownerId)
    })
    await assert.rejects(asking, /The endpoint is busy/)
    assert.deepEqual(await loadUsage(db, ownerId), { own: 0, all: 0 })
  })
}
