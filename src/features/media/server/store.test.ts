import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userNamed } from '#platform/server/db/users.fixture.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testDatabase } from '#tests/support/test-database.ts'
import { lockMedia } from './store.ts'

/** SQLite binds 32,766 values in a statement, PostgreSQL 65,535. */
const beyond = 70_000

test('as many items as a collection may have can be locked, in ascending order of ids', async (context) => {
  const { db } = await testDatabase(context)
  const { id } = await db.insertInto('users').values(userNamed('ann')).returning('id').executeTakeFirstOrThrow()
  const there = await insertManyMedia(db, id, 3)
  const wanted = Array.from({ length: beyond }, (_, index) => beyond - index)
  const held = await db.transaction().execute((transaction) => lockMedia(transaction, wanted))
  assert.deepEqual(held, there)
})
