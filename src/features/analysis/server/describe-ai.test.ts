import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { productWithEndpoint } from './analysis.fixture.ts'

async function healthOf(admin: TestUser) {
  const { health } = (await admin.get('/api/admin/system')).json()
  return health.find(({ name }: { name: string }) => name === 'AI')
}

test("administrators see the providers, models, queue and failures by reason, and no user's items", async (context) => {
  const settings = { AI_MONTHLY_LIMIT: '500', AI_MONTHLY_LIMIT_PER_USER: '50' }
  const { product } = await productWithEndpoint(context, 'refusing', settings)
  const [admin, ann] = [await product.register(), await product.register()]
  const mediaIds = [(await ann.addPicture('secret.jpg')).id, (await ann.addPicture()).id]
  await ann.post('/api/media/bulk-ai-tag', { mediaIds })
  const answer = await admin.get('/api/admin/ai')
  assert.equal(answer.statusCode, 200, answer.body)
  const ai = answer.json()
  assert.deepEqual(ai.providers, [{ name: 'openai', model: 'refusing', version: '1', isPaid: false }])
  assert.deepEqual([ai.models.state, ai.queue.waiting, ai.queue.failed, ai.analysedInLastHour], ['off', 0, 0, 0])
  assert.deepEqual(ai.failures, [
    { code: 'ai-refused', message: 'The model refused to describe this image.', count: 2 },
  ])
  assert.deepEqual(ai.usage, { sentThisMonth: 0, monthlyLimit: 500, monthlyLimitPerUser: 50 })
  assert.ok(!answer.body.includes('secret'))

  await product.restart({ AI_MODEL: 'good' })
  await ann.post('/api/media/bulk-ai-tag', { mediaIds })
  const after = (await admin.get('/api/admin/ai')).json()
  assert.deepEqual([after.analysedInLastHour, after.failures], [2, []])
  const { status, message } = await healthOf(admin)
  assert.equal(status, 'ok')
  assert.match(message, /^good by .+: last response at \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
})

test('checking the AI tests every provider and explains what is wrong', async (context) => {
  const { product } = await productWithEndpoint(context, 'seeing')
  const [admin, ann] = [await product.register(), await product.register()]
  const verdicts = async () => (await admin.post('/api/admin/ai/check')).json().verdicts
  const before = await healthOf(admin)
  assert.equal(before.status, 'unknown', 'opening the page sends no request')
  assert.match(before.message, /^seeing by .+: no requests yet$/)
  assert.deepEqual(await verdicts(), [{ name: 'openai', isOk: true, message: '"seeing" responds and can see images.' }])
  assert.equal((await healthOf(admin)).status, 'ok')
  await product.restart({ AI_MODEL: 'wrong-key' })
  const [wrong] = await verdicts()
  assert.equal(wrong.isOk, false)
  assert.match(wrong.message, /AI_API_KEY/)
  assert.deepEqual(await healthOf(admin), { name: 'AI', status: 'down', message: wrong.message })
  assert.equal((await ann.get('/api/admin/ai')).statusCode, 403)
  assert.equal((await ann.post('/api/admin/ai/check')).statusCode, 403)
})

test('without any AI the check tests no provider and the status says so', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const ai = (await admin.get('/api/admin/ai')).json()
  assert.deepEqual([ai.providers, ai.models.message], [[], 'The built-in AI is switched off (AI_LOCAL=0).'])
  assert.deepEqual((await admin.post('/api/admin/ai/check')).json().verdicts, [])
})
