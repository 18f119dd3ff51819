import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killDuringWork } from '#tests/faults/kill-backups.ts'
import { createTestDatabase } from '#tests/support/postgres.ts'

test('a server that is killed during a restore or a backup comes back with one library, whole', async (context) => {
  const database = await createTestDatabase()
  if (database) context.after(database.drop)
  // Another process waits until the lease of the dead one has run out; one that is alone need not.
  const rounds = database ? [1] : [1, 2]
  const outcome = await killDuringWork({ restores: rounds, backups: rounds }, database?.settings)
  assert.equal(outcome.restores, rounds.length)
  assert.equal(outcome.backups, rounds.length)
})
