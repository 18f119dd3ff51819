import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { currentRun, heldPicture } from './runs.fixture.ts'

test('a run is not retried twice at once, nor when nothing failed', async (context) => {
  const web = await fakeWeb(context)
  const held = await heldPicture(web, '/held.jpg')
  const { register, services } = await testApp(context, web.settings)
  const ann = await register()
  const running = ann.post('/api/upload-from-urls', { urls: [held.url] })
  await held.asked
  const { id } = await currentRun(ann)
  assert.equal((await ann.post('/api/scrape-runs/retry', { runId: id })).statusCode, 409)
  await ann.post(`/api/scrape-runs/${id}/dismiss`)
  assert.equal((await currentRun(ann)).id, id, 'what goes on is not dismissed')
  held.allow()
  await running
  const none = await ann.post('/api/scrape-runs/retry', { runId: id })
  assert.deepEqual([none.statusCode, none.json().message], [400, 'This upload has no failed images.'])
  const values = {
    owner_id: ann.id,
    kind: 'scrape-run',
    options: '{}',
    status: 'running',
    total: 1,
    created_at: 0,
    updated_at: 0,
  } as const
  await services.db
    .insertInto('runs')
    .values(Array.from({ length: 5 }, () => values))
    .execute()
  const refused = await ann.post('/api/upload-from-urls', { urls: [held.url] })
  assert.deepEqual(
    [refused.statusCode, refused.json().message],
    [409, 'Too many uploads from the web at once. Please wait for one to finish.'],
  )
  const ben = await register()
  assert.equal((await ben.post('/api/upload-from-urls', { urls: [held.url] })).statusCode, 200, 'or of theirs')
})

test('of many uploads that one user starts at once, five are accepted', async (context) => {
  const web = await fakeWeb(context)
  const held = await heldPicture(web, '/held.jpg')
  const { register, services } = await testApp(context, web.settings)
  const ann = await register()
  const statuses: number[] = []
  const uploads = Array.from({ length: 8 }, async () => {
    const { statusCode } = await ann.post('/api/upload-from-urls', { urls: [held.url] })
    statuses.push(statusCode)
  })
  const begun = await until('each has begun or was refused', async () => {
    const runs = await services.db.selectFrom('runs').select('id').execute()
    return runs.length + statuses.length === uploads.length && runs.length
  })
  assert.equal(begun, 5)
  held.allow()
  await Promise.all(uploads)
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 409, 409, 409])
})
