import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { disableTimeouts } from '#tests/support/disable-timeouts.ts'
import { fakeWeb } from '#tests/support/fake-web.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { ScrapePreview } from '../contract.ts'

test('the AI endpoint names up to twelve images, within the monthly limit when it is paid', async (context) => {
  disableTimeouts(context)
  const web = await fakeWeb(context)
  const endpoint = await startMisbehavingEndpoint()
  context.after(endpoint.close)
  const unnamed = Array.from({ length: 14 }, (_, index) => `<img src="/DSC_${index}.jpg">`).join('')
  const url = web.page('/', `<title>Shop</title><img src="/a.jpg" alt="Harbour at dawn">${unnamed}`)
  const settings = { ...web.settings, AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'naming' }
  const product = await testApp(context, settings)
  const ann = await product.register()
  const namesNow = async () => {
    const preview: ScrapePreview = (await ann.post('/api/scrape-preview', { url })).json()
    const names = preview.images.map(({ intelligentName }) => intelligentName)
    assert.equal(new Set(names).size, 15)
    return { first: names[0], byModel: names.filter((name) => /^red running shoe/i.test(name)).length }
  }
  const callsOf = async () => {
    const rows = await product.services.db.selectFrom('ai_usage').select(['owner_id', 'calls']).execute()
    return rows.sort((a, b) => a.owner_id - b.owner_id).map(({ calls }) => Number(calls))
  }

  assert.deepEqual(await namesNow(), { first: 'Harbour at dawn', byModel: 12 })
  assert.deepEqual([endpoint.asked('naming').length, await callsOf()], [12, []], 'an unpaid endpoint records no usage')

  await product.restart({ AI_MONTHLY_LIMIT: '5' })
  product.services.ai.endpoint!.isPaid = true
  assert.deepEqual(await namesNow(), { first: 'Harbour at dawn', byModel: 5 })
  assert.deepEqual([endpoint.asked('naming').length, await callsOf()], [12 + 5, [5, 5]])
  assert.deepEqual(await namesNow(), { first: 'Harbour at dawn', byModel: 0 })

  await product.restart({ AI_MODEL: 'wrong-key' })
  assert.deepEqual(await namesNow(), { first: 'Harbour at dawn', byModel: 0 }, 'the rules name what it does not')
})
