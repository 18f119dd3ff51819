import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'

test('the start registers all schedules, and searches twice for files that a killed process left', async (context) => {
  const begun = Date.now()
  const { services } = await testApp(context, {}, { hasSchedules: true })
  const schedules = await services.db.selectFrom('schedules').select(['kind', 'cron']).orderBy('kind').execute()
  assert.deepEqual(
    schedules.map(({ kind, cron }) => `${kind}: ${cron}`),
    [
      'automatic-backup: 0 3 * * *',
      'backup-drill: 41 4 * * 1',
      'find-strays: 23 3 * * *',
      'learn-meanings: * * * * *',
      'limit-derived-files: */10 * * * *',
      'remove-unused: */30 * * * * *',
      'tidy-accounts: 17 * * * *',
      'tidy-analyses: 41 4 * * *',
      'tidy-audits: 17 * * * *',
      'tidy-history: 41 2 * * *',
      'tidy-media: */10 * * * *',
      'tidy-scrapes: 41 * * * *',
    ],
  )
  const later = services.db.selectFrom('jobs').select('run_at').where('kind', '=', 'tidy-media')
  const { run_at } = await later.where('key', '=', 'settled').executeTakeFirstOrThrow()
  assert.ok(run_at >= begun + 20_000 && run_at <= Date.now() + 20_000)
})
