import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killDuringUploads } from '#tests/faults/kill-upload.ts'
import { createTestDatabase } from '#tests/support/postgres.ts'

test('a server that is killed during uploads comes back with every file it acknowledged, whole, and nothing else', async (context) => {
  const database = await createTestDatabase()
  if (database) context.after(database.drop)
  const outcome = await killDuringUploads([1, 2, 3], database?.settings)
  assert.equal(outcome.rounds, 3)
})
