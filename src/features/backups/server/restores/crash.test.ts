import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killDuringWork, moments } from '#tests/faults/kill-backups.ts'
import { createTestDatabase } from '#tests/support/postgres.ts'

test('a server that is killed during a restore or a backup comes back with one library, whole', async (context) => {
  const database = await createTestDatabase()
  if (database) context.after(database.drop)
  // Another process waits until the lease of the dead one has run out; one that is alone need not.
  const restores = database ? [moments.newRowsAreIn] : [moments.newRowsAreIn, moments.switched]
  const outcome = await killDuringWork({ restores, backups: [1] }, database?.settings)
  assert.deepEqual([outcome.leftOld, outcome.leftYoung], database ? [1, 0] : [1, 1])
  assert.equal(outcome.backups, 1)
})
