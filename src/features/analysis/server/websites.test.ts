import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { productWithEndpoint } from './analysis.fixture.ts'

const northwind = {
  name: 'Northwind',
  languages: ['de', 'en'],
  tone: 'friendly and short',
  audience: 'hikers',
  keywords: 'tents, boots',
}

async function addWebsite(user: TestUser, fields = northwind): Promise<number> {
  const answer = await user.post('/api/websites', fields)
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json().id
}

test('descriptions for a website are asked for in its language, with its tone and keywords', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const websiteId = await addWebsite(ann)
  const { id } = await ann.addPicture()
  const answer = await ann.post('/api/media/bulk-ai-tag', { mediaIds: [id], websiteId })
  assert.equal(answer.statusCode, 200, answer.body)
  const [asked] = endpoint.asked('good')
  assert.match(asked!.system, /Answer in German/)
  assert.match(asked!.prompt, /"tone":"friendly and short","audience":"hikers","keywords":"tents, boots"/)
})

test('the result for a website is used again for that website only, until its words change', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const websiteId = await addWebsite(ann)
  const { id } = await ann.addPicture()
  const tag = (body: object) => ann.post('/api/media/bulk-ai-tag', { mediaIds: [id], ...body })
  const known = async (body: object) =>
    (await ann.post('/api/media/bulk-ai-tag/estimate', { mediaIds: [id], ...body })).json().alreadyKnown
  await tag({})
  assert.equal(await known({ websiteId }), 0)
  await tag({ websiteId })
  await tag({ websiteId })
  assert.deepEqual([endpoint.asked('good').length, await known({ websiteId }), await known({})], [2, 1, 1])
  await ann.patch(`/api/websites/${websiteId}`, { tone: 'formal' })
  await tag({ websiteId })
  assert.equal(endpoint.asked('good').length, 3)
})

test('a run for a website goes on with its words when the website is deleted', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const ann = await product.register()
  const websiteId = await addWebsite(ann)
  const mediaIds: number[] = []
  for (let index = 0; index < 5; index++) {
    const bytes = await makeJpeg({ width: 64 + index })
    mediaIds.push((await ann.addPicture(`${index}.jpg`, bytes)).id)
  }
  const running = ann.post('/api/media/bulk-ai-tag', { mediaIds, websiteId })
  while (endpoint.asked('held').length < 4) await endpoint.nextArrival()
  assert.equal((await ann.delete(`/api/websites/${websiteId}`)).statusCode, 200)
  endpoint.releasePermanently()
  const answer = await running
  assert.deepEqual([answer.statusCode, answer.json().summary?.successful], [200, 5], answer.body)
  assert.match(endpoint.asked('held').at(4)!.system, /Answer in German/)
})

test("another user's website is not found by an analysis", async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const [ann, bob] = [await product.register(), await product.register()]
  const websiteId = await addWebsite(ann)
  const { id } = await bob.addPicture()
  const answer = await bob.post('/api/media/bulk-ai-tag', { mediaIds: [id], websiteId })
  assert.deepEqual([answer.statusCode, answer.json().message], [404, 'Website not found'])
  assert.equal(endpoint.asked('good').length, 0)
})

test('AI Rename asks for names in the language of the website that the company names', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'naming')
  const ann = await product.register()
  await addWebsite(ann)
  const media = await ann.addPicture('IMG_0001.jpg')
  const { id } = (await ann.post('/api/collections', { name: 'Tents' })).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  const rename = (company: string) => ann.post(`/api/collections/${id}/ai-rename`, { company, preview: true })
  assert.equal((await rename('northwind')).statusCode, 200)
  assert.equal((await rename('Contoso')).statusCode, 200)
  const [forNorthwind, forContoso] = endpoint.asked('naming')
  assert.match(forNorthwind!.system, /Answer in German/)
  assert.match(forNorthwind!.prompt, /"keywords":"tents, boots"/)
  assert.match(forContoso!.system, /Answer in English/)
})

test("descriptions are asked for in the user's language, or else in the server's", async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good', { AI_LANGUAGE: 'fr' })
  const bytes = await makeJpeg()
  const analyze = async (user: TestUser) =>
    (await user.post(`/api/media/${(await user.addPicture('same.jpg', bytes)).id}/analyze`)).statusCode
  const [ann, bob] = [await product.register(), await product.register()]
  await ann.patch('/api/user/preferences', { aiLanguage: 'de-AT' })
  assert.deepEqual([await analyze(ann), await analyze(bob)], [200, 200])
  const systems = endpoint.asked('good').map(({ system }) => system)
  assert.equal(systems.length, 2, 'a result in one language is not used for another')
  assert.match(systems[0]!, /Answer in Austrian German/)
  assert.match(systems[1]!, /Answer in French/)
  await bob.patch('/api/user/preferences', { aiLanguage: 'de-AT' })
  assert.equal(await analyze(bob), 200)
  assert.equal(endpoint.asked('good').length, 2, 'known in that language')
})
