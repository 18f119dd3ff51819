import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMediaRows } from '#features/media/server/store.ts'
import { startRun } from '#platform/server/runs/runs.ts'
import { insertRun } from '#platform/server/runs/runs-store.ts'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'
import { productWithEndpoint } from '../analysis.fixture.ts'
import { applyKind, tagKind } from './runs.ts'

async function addPictures(user: TestUser, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let index = 0; index < count; index++) ids.push((await user.addPicture(`picture ${index}.jpg`)).id)
  return ids
}

onOneDatabase('a run id may contain only the characters that its error message names', async (context) => {
  const { product } = await productWithEndpoint(context, 'tagging')
  const ann = await product.register()
  const mediaIds = await addPictures(ann, 1)
  const start = (runId: string) => ann.post('/api/media/bulk-ai-tag', { mediaIds, runId })
  assert.equal((await start('My-run_1')).statusCode, 200)
  const refused = await start('my run')
  assert.equal(refused.statusCode, 400)
  assert.match(refused.json().message, /must have only letters, digits, hyphens and underscores/)
})

test('a bulk analysis tags many items, names each failure, and can be reverted', async (context) => {
  const { product } = await productWithEndpoint(context, 'refusing-the-second')
  const [ann, bob] = [await product.register(), await product.register()]
  const mediaIds = await addPictures(ann, 3)
  const [foreign] = await addPictures(bob, 1)
  const ended = new Promise((resolve) =>
    product.services.events.subscribe(ann.id, undefined, (_id, event) => {
      if (event.type === 'run' && event.isRunning === false) resolve(event)
    }),
  )
  const answer = await ann.post('/api/media/bulk-ai-tag', { mediaIds: [...mediaIds, foreign], runId: 'run-1' })
  assert.equal(answer.statusCode, 200, answer.body)
  const { message, summary, errors, run } = answer.json()
  assert.deepEqual(summary, { successful: 2, failed: 2 })
  assert.equal(message, '2 items analyzed. 2 items failed.')
  assert.deepEqual(errors.map(({ message: reason }: { message: string }) => reason).sort(), [
    'Media not found',
    'The model refused to describe this image.',
  ])
  assert.deepEqual(run, { runId: 'run-1', kind: 'tag', status: 'done', total: 3, successful: 2, failed: 1 })
  const progress = { runId: 'run-1', isRunning: false, done: 3, failed: 1, total: 3, pause: null }
  assert.deepEqual(await ended, { type: 'run', ...progress }, 'open pages were notified')
  assert.equal((await bob.get(`/api/media/${foreign}`)).json().aiStatus, 'none')
  const onlyForeign = await ann.post('/api/media/bulk-ai-tag', { mediaIds: [foreign], runId: 'run-2' })
  assert.equal(onlyForeign.statusCode, 404, onlyForeign.body)
  assert.deepEqual(onlyForeign.json().summary, { successful: 0, failed: 1 })

  const tagged = (await ann.get('/api/media'))
    .json()
    .media.filter(({ aiStatus }: { aiStatus: string }) => aiStatus === 'done')
  await ann.patch(`/api/media/${tagged[0].id}`, { aiDescription: 'Mine now.' })
  const reverted = await ann.post('/api/ai-runs/run-1/revert')
  assert.equal(reverted.json().reverted, 2)
  const after = (await ann.get('/api/media')).json().media
  assert.ok(after.every(({ aiTags }: { aiTags: string[] }) => aiTags.length === 0))
  assert.equal((await ann.get(`/api/media/${tagged[0].id}`)).json().aiDescription, 'Mine now.')
  assert.equal((await ann.post('/api/ai-runs/run-1/revert')).statusCode, 409)
  const { runs } = (await ann.get('/api/ai-runs')).json()
  assert.deepEqual(
    runs.map(({ runId, kind, status, successful }: Record<string, unknown>) => [runId, kind, status, successful]),
    [['run-1', 'tag', 'reverted', 2]],
  )
  assert.equal((await ann.get('/api/ai-runs/run-1')).json().message, '2 items analyzed. 1 item failed.')
  assert.deepEqual((await bob.get('/api/ai-runs')).json().runs, [], 'another user sees no runs')
})

test('an item that is deleted while its run starts fails alone', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const { db } = product.services
  const ann = await product.register()
  const mediaIds = await addPictures(ann, 2)
  const deletion = await holdTransaction(db, (transaction) => deleteMediaRows(transaction, mediaIds.slice(0, 1)))
  const running = ann.post('/api/media/bulk-ai-tag', { mediaIds })
  await untilBlocked(db, 1)
  await deletion.end()
  const { statusCode, body } = await running
  assert.equal(statusCode, 200, body)
  assert.deepEqual(JSON.parse(body).summary, { successful: 1, failed: 1 })
  assert.deepEqual(JSON.parse(body).errors, [{ id: mediaIds[0], message: 'Media not found' }])
})

test('of two concurrent requests to start the same run, one is told that it has already started', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const { db } = product.services
  const ann = await product.register()
  const mediaIds = await addPictures(ann, 1)
  const run = { key: 'run-1', ownerId: ann.id, kind: tagKind }
  const first = await holdTransaction(db, (transaction) => insertRun(transaction, run, []))
  const second = ann.post('/api/media/bulk-ai-tag', { mediaIds, runId: 'run-1' })
  await untilBlocked(db, 1)
  await first.end()
  assert.deepEqual([(await second).statusCode, (await second).json().message], [409, 'This run has already started.'])
})

test('a run stops sending requests after a failure of the endpoint itself', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'wrong-key')
  const ann = await product.register()
  const mediaIds = await addPictures(ann, 9)
  const { summary, errors } = (await ann.post('/api/media/bulk-ai-tag', { mediaIds })).json()
  assert.deepEqual(summary, { successful: 0, failed: 9 })
  assert.ok(errors.every(({ message }: { message: string }) => /AI_API_KEY/.test(message)))
  assert.ok(endpoint.asked('wrong-key').length < 9, `asked ${endpoint.asked('wrong-key').length} times`)
})

test('a canceled run stops after its current items, and a run interrupted by a restart resumes', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'hanging')
  const [ann, bob] = [await product.register(), await product.register()]
  const mediaIds = await addPictures(ann, 6)
  const arrival = endpoint.nextArrival()
  void ann.post('/api/media/bulk-ai-tag', { mediaIds, runId: 'long' })
  void bob.post('/api/media/bulk-ai-tag', { mediaIds: await addPictures(bob, 1), runId: 'bobs' })
  await arrival
  for (const [person, id] of [
    [ann, 'long'],
    [bob, 'bobs'],
  ] as const)
    await until(`${id} has begun`, async () => (await person.get(`/api/ai-runs/${id}`)).statusCode === 200)
  assert.equal((await bob.post('/api/ai-runs/long/cancel')).statusCode, 404)
  assert.equal((await bob.get('/api/ai-runs/long')).statusCode, 404)
  assert.equal((await bob.post('/api/ai-runs/long/revert')).statusCode, 404)
  assert.equal((await ann.post('/api/ai-runs/long/revert')).statusCode, 409, 'still running')
  assert.equal((await ann.post('/api/ai-runs/long/cancel')).json().status, 'cancelled')
  await product.restart({ AI_MODEL: 'good' })
  await product.settled()
  const cancelled = (await ann.get('/api/ai-runs/long')).json()
  assert.deepEqual([cancelled.status, cancelled.successful], ['cancelled', 0])
  const resumed = (await bob.get('/api/ai-runs/bobs')).json()
  assert.deepEqual([resumed.status, resumed.successful], ['done', 1])
})

onOneDatabase('a short run does not wait for long runs', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const ann = await product.register()
  const bytes = await makeJpeg({ width: 8, height: 8 })
  const items: { mediaId: number }[] = []
  while (items.length < 40) items.push({ mediaId: (await ann.addPicture('same.jpg', bytes)).id })
  // The last item of the long runs is answered only after the short run has ended.
  items.push({ mediaId: (await ann.addPicture('other.jpg')).id })
  const { db, jobs, events } = product.services
  const ended: string[] = []
  events.subscribe(ann.id, undefined, (_id, event) => {
    if (event.type === 'run' && event.isRunning === false) ended.push(String(event.runId))
  })
  const same = endpoint.nextArrival()
  await db.transaction().execute(async (transaction) => {
    for (const key of ['long', 'also long', 'short']) {
      const run = { key, ownerId: ann.id, kind: tagKind, options: { review: false } }
      await startRun(transaction, jobs, run, key === 'short' ? items.slice(0, 1) : items)
    }
  })
  await same
  const other = endpoint.nextArrival()
  endpoint.release()
  await Promise.all([until('the short run has ended', () => ended.length > 0), other])
  endpoint.release()
  await until('all three runs have ended', () => ended.length === 3)
  assert.equal(ended[0], 'short')
})

test('a run whose job is given up ends, and its remaining items have failed', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const mediaIds = await addPictures(ann, 2)
  const { db, jobs } = product.services
  const items = mediaIds.map((mediaId) => ({ mediaId }))
  for (const [key, kind, state] of [
    ['lost', tagKind, 'waiting'],
    ['half', applyKind, 'found'],
  ] as const) {
    await db.transaction().execute(async (transaction) => {
      const run = { key, kind, ownerId: ann.id, options: { review: true } }
      const { id } = await startRun(transaction, jobs, run, items)
      await transaction.updateTable('run_items').set({ state }).where('run_id', '=', id).execute()
      // The state after five processes that crashed during the run.
      await transaction.updateTable('jobs').set({ attempts: 5 }).where('kind', '=', kind).execute()
    })
  }
  await product.settled()
  const { status, failed, successful } = (await ann.get('/api/ai-runs/lost')).json()
  assert.deepEqual([status, failed, successful], ['done', 2, 0])
  assert.equal((await ann.get('/api/ai-runs/half')).json().status, 'review', 'the review can be applied again')
})

test('an estimate does not reveal that another user has the same picture', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const [ann, ben] = [await product.register(), await product.register()]
  const bytes = await makeJpeg()
  const [hers, his] = [await ann.addPicture('a.jpg', bytes), await ben.addPicture('b.jpg', bytes)]
  await ann.post(`/api/media/${hers.id}/analyze`)
  const estimate = async () =>
    (await ben.post('/api/media/bulk-ai-tag/estimate', { mediaIds: [his.id] })).json().alreadyKnown
  assert.equal(await estimate(), 0)
  await ben.post(`/api/media/${his.id}/analyze`)
  assert.equal(await estimate(), 1)
})

test('an estimate gives the number of items, cached results and the cost of a run', async (context) => {
  const { product } = await productWithEndpoint(context, 'good', { AI_MONTHLY_LIMIT: '10' })
  const ann = await product.register()
  const bytes = await makeJpeg()
  const same = [await ann.addPicture('a.jpg', bytes), await ann.addPicture('b.jpg', bytes)].map(({ id }) => id)
  const others = await addPictures(ann, 2)
  await ann.post(`/api/media/${others[0]}/analyze`)
  product.services.ai.endpoint!.isPaid = true
  const answer = await ann.post('/api/media/bulk-ai-tag/estimate', { mediaIds: [...same, ...others] })
  assert.equal(answer.statusCode, 200, answer.body)
  const { estimatedSeconds, ...rest } = answer.json()
  assert.ok(estimatedSeconds >= 0)
  assert.deepEqual(rest, {
    images: 4,
    alreadyKnown: 2,
    estimatedTokens: 240,
    isPaid: true,
    provider: 'openai',
    model: 'good',
    remainingThisMonth: 10,
  })
})

test('the monthly limit is shared by all users and counts neither repeated nor failed requests', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good', { AI_MONTHLY_LIMIT: '2' })
  const [ann, bob] = [await product.register(), await product.register()]
  product.services.ai.endpoint!.isPaid = true
  const ids = await addPictures(ann, 2)
  const { summary } = (await ann.post('/api/media/bulk-ai-tag', { mediaIds: ids })).json()
  assert.equal(summary.successful, 2)
  assert.equal((await ann.post(`/api/media/${ids[0]}/analyze`)).statusCode, 200, 'known bytes cost nothing')
  const [third] = await addPictures(bob, 1)
  const refused = await bob.post(`/api/media/${third}/analyze`)
  assert.deepEqual([refused.statusCode, refused.json().code], [429, 'ai-limit'])
  assert.match(refused.json().message, /This month's limit of 2 AI requests/)
  assert.equal(endpoint.asked('good').length, 2)
  await product.restart({ AI_MODEL: 'failing', AI_MONTHLY_LIMIT: '3' })
  product.services.ai.endpoint!.isPaid = true
  assert.equal((await bob.post(`/api/media/${third}/analyze`)).statusCode, 502)
  const { calls } = await product.services.db
    .selectFrom('ai_usage')
    .select('calls')
    .where('owner_id', '=', 0)
    .executeTakeFirstOrThrow()
  assert.equal(calls, 2)
})

test("each user has a limit of their own in addition to the server's", async (context) => {
  const settings = { AI_MONTHLY_LIMIT: '3', AI_MONTHLY_LIMIT_PER_USER: '2' }
  const { product } = await productWithEndpoint(context, 'good', settings)
  product.services.ai.endpoint!.isPaid = true
  const [ann, bob] = [await product.register(), await product.register()]
  const { summary, errors } = (await ann.post('/api/media/bulk-ai-tag', { mediaIds: await addPictures(ann, 3) })).json()
  assert.deepEqual(summary, { successful: 2, failed: 1 })
  assert.equal(errors[0].message, "This month's limit of 2 AI requests for each user has been reached.")
  const bobs = await addPictures(bob, 2)
  const estimate = (await bob.post('/api/media/bulk-ai-tag/estimate', { mediaIds: bobs })).json()
  assert.equal(estimate.remainingThisMonth, 1, "the rest of the server's limit")
  assert.equal((await bob.post(`/api/media/${bobs[0]}/analyze`)).statusCode, 200)
  const refused = await bob.post(`/api/media/${bobs[1]}/analyze`)
  assert.equal(refused.json().message, "This month's limit of 3 AI requests for this server has been reached.")
})

test('a run without items, with too many items or without an AI is refused with a message', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  assert.equal((await ann.post('/api/media/bulk-ai-tag', { mediaIds: [] })).statusCode, 400)
  const many = Array.from({ length: 10_001 }, (_, index) => index + 1)
  assert.equal((await ann.post('/api/media/bulk-ai-tag', { mediaIds: many })).statusCode, 400)
  const bare = await testApp(context)
  const bob = await bare.register()
  const answer = await bob.post('/api/media/bulk-ai-tag', { mediaIds: await addPictures(bob, 1) })
  assert.equal(answer.statusCode, 503)
  assert.match(answer.json().message, /No AI is configured/)
})
