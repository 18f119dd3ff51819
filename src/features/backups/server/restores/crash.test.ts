import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killDuringWork, moments } from '#tests/faults/kill-backups.ts'
import { createTestDatabase } from '#tests/support/postgres.ts'

test('a server killed during a restore or a backup restarts with one complete library', async (context) => {
  const database = await createTestDatabase()
  if (database) context.after(database.drop)
  // With other processes the lease of the dead one must expire first; a single process resumes at once.
  const restores = database ? [moments.newRowsAreIn] : [moments.newRowsAreIn, moments.switched]
  const outcome = await killDuringWork({ restores, backups: [1] }, database?.settings)
  assert.deepEqual([outcome.leftOld, outcome.leftYoung], database ? [1, 0] : [1, 1])
  assert.equal(outcome.backups, 1)
})
