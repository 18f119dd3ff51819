import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killDuringUploads } from '#tests/faults/kill-upload.ts'
import { createTestDatabase } from '#tests/support/postgres.ts'

test('a server killed during uploads restarts with every acknowledged file intact and no other file', async (context) => {
  const database = await createTestDatabase()
  if (database) context.after(database.drop)
  const outcome = await killDuringUploads([1, 2, 3], database?.settings)
  assert.equal(outcome.rounds, 3)
})
