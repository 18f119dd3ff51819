import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unavailable } from '#platform/errors.ts'
import { holdTransaction, untilBlocked } from '#tests/support/held-transaction.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { seedLibrary } from '#tests/support/seed-library.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { productWithEndpoint, uploadWithAi } from './analysis.fixture.ts'
import { loadUsage } from './budget.ts'

const lasting: [model: string, status: number, code: string, sentence: RegExp, billed: number][] = [
  ['refusing', 502, 'ai-refused', /refused to describe/, 1],
  ['html', 502, 'ai-invalid-output', /not as an OpenAI-compatible/, 1],
  ['cut-off', 502, 'ai-invalid-output', /usable answer/, 2],
  ['wrong-key', 502, 'ai-auth', /AI_API_KEY/, 0],
  ['no-such-model', 502, 'ai-model', /AI_MODEL/, 0],
  ['blind', 502, 'ai-no-vision', /cannot see images/, 0],
  ['huge', 502, 'ai-too-large', /1 MB/, 1],
  ['hanging', 504, 'ai-timeout', /no answer within/, 1],
  ['failing', 502, 'ai-server', /answered with an error/, 0],
  ['busy-for-an-hour', 503, 'ai-rate', /rate limited/, 0],
]

onOneDatabase(
  'every endpoint failure is shown on the item and to its requester and keeps earlier results',
  async (context) => {
    const { product } = await productWithEndpoint(context, 'good')
    const ann = await product.register()
    const media = await uploadWithAi(product, ann)
    const fresh = await ann.addPicture()
    for (const [model, status, code, sentence, billed] of lasting) {
      await product.restart({ AI_MODEL: model, ...(model === 'hanging' && { AI_TIMEOUT_SECONDS: '1' }) })
      product.services.ai.endpoint!.isPaid = true
      const before = await loadUsage(product.services.db, ann.id)
      const answer = await ann.post(`/api/media/${fresh.id}/analyze`)
      const { all } = await loadUsage(product.services.db, ann.id)
      assert.equal(all - before.all, billed, `${model}: what the provider may bill is counted, and nothing else`)
      assert.deepEqual([answer.statusCode, answer.json().code], [status, code], `${model}: ${answer.body}`)
      assert.match(answer.json().message, sentence)
      const after = (await ann.get(`/api/media/${fresh.id}`)).json()
      assert.equal(after.aiStatus, 'failed')
      assert.match(after.aiError, sentence)
      await ann.post(`/api/media/${media.id}/analyze`)
      const kept = (await ann.get(`/api/media/${media.id}`)).json()
      assert.deepEqual(
        [kept.aiDescription, kept.aiTags],
        [media.aiDescription, media.aiTags],
        'the earlier analysis is kept',
      )
    }
    await product.restart({ AI_MODEL: 'good' })
    const retried = (await ann.post(`/api/media/${fresh.id}/analyze`)).json()
    assert.deepEqual([retried.aiStatus, retried.aiError, retried.aiTags], ['done', null, ['cat', 'animal']])
  },
)

test('HTML and control characters from a model become plain text and plain tags', async (context) => {
  const { product } = await productWithEndpoint(context, 'hostile')
  const ann = await product.register()
  const media = await uploadWithAi(product, ann)
  assert.equal(media.aiStatus, 'done')
  assert.ok(media.aiDescription.length <= 2000 && !media.aiDescription.includes('\0'))
  assert.ok(media.aiTags.length <= 30)
  for (const tag of media.aiTags) assert.match(tag, /^[\p{L}\p{N} '-]{1,50}$/u)
  assert.equal(media.filename, 'picture.jpg')
  assert.equal(media.publicUrl, null)
})

test('an impossible token count from the endpoint is ignored, and the picture is described', async (context) => {
  const { product } = await productWithEndpoint(context, 'counting-wrongly')
  const ann = await product.register()
  const { aiStatus, aiError } = await uploadWithAi(product, ann)
  assert.deepEqual([aiStatus, aiError], ['done', null])
  const { id } = await ann.addPicture()
  const estimate = await ann.post('/api/media/bulk-ai-tag/estimate', { mediaIds: [id] })
  assert.equal(estimate.json().estimatedTokens, 0, estimate.body)
})

test('an upload waits with a reason during a long pause or a storage outage and is analyzed afterwards', async (context) => {
  const { product } = await productWithEndpoint(context, 'busy-for-an-hour')
  const ann = await product.register()
  const media = await uploadWithAi(product, ann)
  assert.equal(media.aiStatus, 'waiting')
  assert.match(media.aiError, /rate limited/)
  const { db } = product.services
  const job = await db.selectFrom('jobs').selectAll().where('kind', '=', 'analyze-media').executeTakeFirstOrThrow()
  assert.ok(job.run_at - Date.now() > 3500_000, 'not before the time that the endpoint gave')
  await product.restart({ AI_MODEL: 'good' })
  await tryAgain(media.id)

  const fail = async () => {
    throw unavailable('The storage is away.')
  }
  const away = context.mock.method(product.services.storage, 'withLocalFile', fail)
  const other = await uploadWithAi(product, ann, 'other.jpg', await makeJpeg({ width: 90, height: 70 }))
  assert.deepEqual([other.aiStatus, other.aiError], ['waiting', 'The storage is away.'])
  away.mock.restore()
  await tryAgain(other.id)

  async function tryAgain(id: number) {
    await product.services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'analyze-media').execute()
    await product.settled()
    const after = (await ann.get(`/api/media/${id}`)).json()
    assert.deepEqual([after.aiStatus, after.aiError, after.aiTags], ['done', null, ['cat', 'animal']])
  }
})

test('canceling a pending or running analysis leaves the item as it was', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'busy-for-an-hour')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  const cancelled = (await ann.post(`/api/media/${id}/cancel-analysis`)).json()
  assert.deepEqual([cancelled.aiStatus, cancelled.aiError], ['none', null])
  await product.restart({ AI_MODEL: 'held' })
  await product.services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'analyze-media').execute()
  await product.settled()
  assert.equal(endpoint.asked('held').length, 0, 'the pending attempt is canceled')

  const arrival = endpoint.nextArrival()
  const asked = ann.post(`/api/media/${id}/analyze`)
  await arrival
  await ann.post(`/api/media/${id}/cancel-analysis`)
  endpoint.release()
  assert.equal((await asked).json().aiStatus, 'none')
  await product.settled()
  const after = (await ann.get(`/api/media/${id}`)).json()
  assert.deepEqual([after.aiStatus, after.aiTags, after.aiDescription], ['none', [], null])
  const again = (await ann.post(`/api/media/${id}/analyze`)).json()
  assert.deepEqual(again.aiTags, ['cat', 'animal'], 'the result that arrived meanwhile is reused')
  assert.equal(endpoint.asked('held').length, 1)
  assert.equal((await ann.post(`/api/media/${id}/cancel-analysis`)).json().aiStatus, 'done', 'nothing to cancel')
})

test('an analysis that crashed the process repeatedly reports it and can be requested again', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  await product.services.jobs.stop()
  const { media } = (await ann.upload([{ name: 'a.jpg', bytes: await makeJpeg() }], { enableAi: 'true' })).json()
  await product.services.db.updateTable('jobs').set({ attempts: 5 }).where('kind', '=', 'analyze-media').execute()
  await product.restart()
  await product.settled()
  const path = `/api/media/${media[0].id}`
  const { aiStatus, aiError } = (await ann.get(path)).json()
  assert.deepEqual([aiStatus, aiError], ['failed', 'The analysis was interrupted repeatedly. Please try again.'])
  assert.equal((await ann.post(`${path}/analyze`)).json().aiStatus, 'done')
})

test('canceling an analysis that has just ended leaves it done', async (context) => {
  const { product } = await productWithEndpoint(context, 'busy-for-an-hour')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  const { db } = product.services
  const found = { ai_status: 'done', ai_error: null, ai_provider: 'openai', ai_description: 'A cat.' } as const
  const ending = await holdTransaction(db, (transaction) => transaction.updateTable('media').set(found).execute())
  const cancelling = ann.post(`/api/media/${id}/cancel-analysis`)
  await untilBlocked(db, 1)
  await ending.end()
  const { aiStatus, aiDescription } = (await cancelling).json()
  assert.deepEqual([aiStatus, aiDescription], ['done', 'A cat.'])
})

/** Replaces the library with one in which the same id belongs to another user's item. */
async function anotherLibrary(admin: TestUser) {
  const elsewhere = JSON.parse((await admin.get('/api/admin/database/download')).body)
  Object.assign(elsewhere.tables.media[0], { filename: 'theirs.jpg', created_at: 1 })
  const bytes = Buffer.from(JSON.stringify(elsewhere))
  const database = multipart([{ name: 'database.json', bytes }], {}, 'database')
  return async () => {
    const replaced = await admin.send({ method: 'POST', url: '/api/admin/database/upload', ...database })
    assert.equal(replaced.statusCode, 200, replaced.body)
  }
}

for (const isWell of [true, false]) {
  const what = isWell ? 'an analysis that arrives' : 'a failure that arrives'
  test(`${what} after the library was replaced does not change the item that has the same id now`, async (context) => {
    const { product, endpoint } = await productWithEndpoint(context, 'held')
    const ann = await product.register()
    const { id } = await ann.addPicture('mine.jpg')
    const replaceLibrary = await anotherLibrary(ann)
    const arrival = endpoint.nextArrival()
    void ann.post('/api/media/bulk-ai-tag', { mediaIds: [id], runId: 'run' })
    await arrival
    await replaceLibrary()
    endpoint.release(isWell)
    await product.settled()
    const rows = product.services.db.selectFrom('media').select(['filename', 'ai_description', 'ai_status', 'ai_error'])
    assert.deepEqual(await rows.where('id', '=', id).execute(), [
      { filename: 'theirs.jpg', ai_description: null, ai_status: 'none', ai_error: null },
    ])
  })
}

for (const call of ['analyze', 'suggest-tags']) {
  test(`a request for ${call} that waits while the library is replaced returns nothing of the new library`, async (context) => {
    const { product, endpoint } = await productWithEndpoint(context, 'held')
    const ann = await product.register()
    const { id } = await ann.addPicture('mine.jpg')
    const replaceLibrary = await anotherLibrary(ann)
    const arrival = endpoint.nextArrival()
    const asked = ann.post(`/api/media/${id}/${call}`)
    await arrival
    await replaceLibrary()
    endpoint.release()
    const answer = await asked
    assert.doesNotMatch(answer.body, /theirs/)
    assert.equal(answer.statusCode, 409)
    await product.settled()
  })
}

test('the vocabulary of a replaced library is not sent to a model for the new one', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const [ann, ben] = [await product.register(), await product.register()]
  await seedLibrary(product.services, ben.id, [{ tags: ['surgery'] }])
  const [known, unknown] = [await ben.addPicture(), await ben.addPicture()]
  const elsewhere = JSON.parse((await ann.get('/api/admin/database/download')).body)
  elsewhere.tables.media_tags = []
  for (const media of elsewhere.tables.media) if (media.id === unknown.id) media.ai_status = 'waiting'
  await ben.post(`/api/media/${known.id}/analyze`)
  assert.match(endpoint.asked('good')[0]!.prompt, /surgery/)
  const bytes = Buffer.from(JSON.stringify(elsewhere))
  const database = multipart([{ name: 'database.json', bytes }], {}, 'database')
  await ann.send({ method: 'POST', url: '/api/admin/database/upload', ...database })
  await product.settled()
  const prompts = endpoint.asked('good').map(({ prompt }) => prompt)
  assert.equal(prompts.length, 2)
  assert.doesNotMatch(prompts[1]!, /surgery/)
})

test('an upload whose analysis keeps failing is tried six times and then reports the failure', async (context) => {
  const { product } = await productWithEndpoint(context, 'busy-for-an-hour')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  for (let attempt = 2; attempt <= 6; attempt++) {
    await product.services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'analyze-media').execute()
    await product.settled()
  }
  assert.equal((await ann.get(`/api/media/${id}`)).json().aiStatus, 'failed')
  const left = await product.services.db.selectFrom('jobs').select('id').where('kind', '=', 'analyze-media').execute()
  assert.equal(left.length, 0)
})

test('the analysis of a picture whose bytes are missing fails with a message', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  const { blob } = await product.services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await product.services.storage.remove(blob)
  const answer = await ann.post(`/api/media/${id}/analyze`)
  assert.deepEqual([answer.statusCode, answer.json().code], [422, 'ai-unreadable'])
  assert.equal(endpoint.asked('good').length, 0)
})

test('deleting an item during its analysis causes no error', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const ann = await product.register()
  const arrival = endpoint.nextArrival()
  const { media } = (await ann.upload([{ name: 'a.jpg', bytes: await makeJpeg() }], { enableAi: 'true' })).json()
  await arrival
  await ann.delete(`/api/media/${media[0].id}`)
  endpoint.release(false)
  await product.settled()
  assert.equal((await ann.get('/api/media')).json().media.length, 0)
  assert.equal((await product.services.db.selectFrom('ai_failures').selectAll().execute()).length, 0)
})
