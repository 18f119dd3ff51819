import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Proposal } from '../../contract.ts'
import { productWithEndpoint } from '../analysis.fixture.ts'

const write = (user: TestUser, body: object) =>
  user.post('/api/media/bulk-alt-text', { languages: ['en', 'de'], runId: 'run', ...body })

async function startWriting(user: TestUser, body: object) {
  const answer = await write(user, body)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

const altTextsOf = async (user: TestUser, id: number) => (await user.get(`/api/media/${id}`)).json().altTexts
const told = (language: string) => `An orange cat looks up, told in ${language}`
const proposalsOf = async (user: TestUser, run = 'run') =>
  (await user.get(`/api/ai-reviews/${run}`)).json().items as Proposal[]

async function addWebsite(user: TestUser, fields: object = {}) {
  const answer = await user.post('/api/websites', { name: 'Northwind', languages: ['de', 'en'], ...fields })
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json().id as number
}

test('alt texts of all languages come from one request, wait for a review, and can be undone in the history', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  const { message, summary, run } = await startWriting(ann, { mediaIds: [id] })
  assert.equal(message, 'Alt texts written for 1 item. Nothing changes until you review it.')
  assert.deepEqual([summary, run.kind, run.status], [{ successful: 1, skipped: 0, failed: 0 }, 'alt-text', 'review'])
  assert.equal(endpoint.asked('alt-texts').length, 1)
  assert.deepEqual(await altTextsOf(ann, id), {})
  const [listed] = (await ann.get('/api/ai-reviews')).json().reviews
  assert.deepEqual([listed.kind, listed.items, listed.changes], ['alt-text', 1, 1])
  const [proposal] = await proposalsOf(ann)
  assert.deepEqual(proposal!.altTexts, [
    { language: 'en', before: null, after: told('en'), isAccepted: true },
    { language: 'de', before: null, after: told('de'), isAccepted: true },
  ])
  const applied = await ann.post('/api/ai-reviews/run/apply')
  assert.deepEqual([applied.statusCode, applied.json().message], [200, '1 item changed.'], applied.body)
  assert.deepEqual(await altTextsOf(ann, id), { en: told('en'), de: told('de') })
  assert.equal((await ann.get('/api/media?search=told')).json().media.length, 1, 'found by its new words')
  const [past] = (await ann.get('/api/ai-runs')).json().runs
  assert.deepEqual([past.kind, past.status], ['alt-text', 'done'])
  assert.equal((await ann.post('/api/ai-runs/run/revert')).json().reverted, 1)
  assert.deepEqual(await altTextsOf(ann, id), {})
})

test('alt texts are accepted language by language, and rejected ones are not written', async (context) => {
  const { product } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const [whole, partly] = [(await ann.addPicture('a.jpg')).id, (await ann.addPicture('b.jpg')).id]
  await startWriting(ann, { mediaIds: [whole, partly] })
  await ann.patch(`/api/ai-reviews/run/items/${whole}`, { isAccepted: false })
  const chosen = (await ann.patch(`/api/ai-reviews/run/items/${partly}`, { refusedLanguages: ['en'] })).json()
  assert.deepEqual(
    chosen.altTexts.map(({ isAccepted }: Proposal['altTexts'][number]) => isAccepted),
    [false, true],
  )
  assert.equal((await ann.get('/api/ai-reviews/run')).json().accepted, 1)
  await ann.post('/api/ai-reviews/run/apply')
  assert.deepEqual([await altTextsOf(ann, whole), await altTextsOf(ann, partly)], [{}, { de: told('de') }])
})

test('only missing alt texts are written, unless existing ones are to be replaced', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const [some, all] = [(await ann.addPicture('a.jpg')).id, (await ann.addPicture('b.jpg')).id]
  await ann.patch(`/api/media/${some}`, { altTexts: { en: 'Mine' } })
  await ann.patch(`/api/media/${all}`, { altTexts: { en: 'Mine', de: 'Meiner' } })
  const { message, summary } = await startWriting(ann, { mediaIds: [some, all] })
  assert.match(message, /^Alt texts written for 1 item. 1 item skipped: nothing is missing./)
  assert.deepEqual(summary, { successful: 1, skipped: 1, failed: 0 })
  assert.deepEqual(endpoint.asked('alt-texts')[0]!.fields, ['de'])
  await ann.delete('/api/ai-reviews/run')
  await startWriting(ann, { mediaIds: [all], overwrite: true, runId: 'again' })
  await ann.post('/api/ai-reviews/again/apply')
  assert.deepEqual(await altTextsOf(ann, all), { en: told('en'), de: told('de') })
  await ann.post('/api/ai-runs/again/revert')
  assert.deepEqual(await altTextsOf(ann, all), { en: 'Mine', de: 'Meiner' })
})

test('decorative items are skipped, and the message says so', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await ann.patch(`/api/media/${id}`, { isDecorative: true })
  const { message, summary, run } = await startWriting(ann, { mediaIds: [id], overwrite: true })
  assert.equal(message, 'Alt texts written for 0 items. 1 decorative item skipped.')
  assert.deepEqual([summary.skipped, run.status, endpoint.asked('alt-texts').length], [1, 'done', 0])
})

test('a text that a person writes during the review is kept, and undo keeps what was edited since', async (context) => {
  const { product } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await startWriting(ann, { mediaIds: [id], languages: ['en', 'de', 'fr'] })
  await ann.patch(`/api/media/${id}`, { altTexts: { en: 'Mine' } })
  assert.deepEqual(
    (await proposalsOf(ann))[0]!.altTexts.map(({ language }) => language),
    ['de', 'fr'],
  )
  await ann.post('/api/ai-reviews/run/apply')
  await ann.patch(`/api/media/${id}`, { altTexts: { fr: 'Le mien' } })
  await ann.post('/api/ai-runs/run/revert')
  assert.deepEqual(await altTextsOf(ann, id), { en: 'Mine', fr: 'Le mien' })
})

test('alt texts for a website are asked for with its words, and only those of the same words are used again', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const websiteId = await addWebsite(ann, { tone: 'friendly', keywords: 'tents' })
  const { id } = await ann.addPicture()
  for (const runId of ['a', 'b']) await startWriting(ann, { mediaIds: [id], websiteId, runId })
  await startWriting(ann, { mediaIds: [id], runId: 'c' })
  const asked = endpoint.asked('alt-texts')
  assert.equal(asked.length, 2, 'the second run finds the texts of the first')
  assert.match(asked[0]!.prompt, /"tone":"friendly","keywords":"tents"/)
  assert.doesNotMatch(asked[1]!.prompt, /friendly/)
})

test('a run goes on with the words of a website that is deleted meanwhile', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const ann = await product.register()
  const websiteId = await addWebsite(ann, { keywords: 'tents' })
  const mediaIds: number[] = []
  for (let index = 0; index < 5; index++)
    mediaIds.push((await ann.addPicture(`${index}.jpg`, await makeJpeg({ width: 64 + index }))).id)
  const running = write(ann, { mediaIds, websiteId, languages: ['en'] })
  while (endpoint.asked('held').length < 4) await endpoint.nextArrival()
  assert.equal((await ann.delete(`/api/websites/${websiteId}`)).statusCode, 200)
  endpoint.releasePermanently()
  assert.equal((await running).json().summary.successful, 5)
  assert.match(endpoint.asked('held').at(4)!.prompt, /"keywords":"tents"/)
})

onOneDatabase("another user's items, websites and reviews are not found", async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'alt-texts')
  const [ann, bob] = [await product.register(), await product.register()]
  const websiteId = await addWebsite(ann)
  const [anns, bobs] = [(await ann.addPicture()).id, (await bob.addPicture()).id]
  assert.equal((await write(bob, { mediaIds: [anns] })).statusCode, 404)
  assert.equal((await write(bob, { mediaIds: [bobs], websiteId })).statusCode, 404)
  assert.equal(endpoint.asked('alt-texts').length, 0)
  const { summary, errors } = await startWriting(bob, { mediaIds: [anns, bobs] })
  assert.deepEqual([summary.successful, errors], [1, [{ id: anns, message: 'Media not found' }]])
  const estimate = await bob.post('/api/media/bulk-alt-text/estimate', { mediaIds: [anns, bobs], languages: ['en'] })
  assert.equal(estimate.json().images, 1)
  for (const answer of [
    await ann.get('/api/ai-reviews/run'),
    await ann.post('/api/ai-reviews/run/apply'),
    await ann.post('/api/ai-runs/run/revert'),
    await ann.patch(`/api/ai-reviews/run/items/${bobs}`, { isAccepted: false }),
  ])
    assert.equal(answer.statusCode, 404, answer.body)
})

onOneDatabase('unknown languages, none and too many are refused with a sentence, and start no run', async (context) => {
  const { product } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const mediaIds = [(await ann.addPicture()).id]
  const refused = async (languages: unknown) => {
    const answer = await write(ann, { mediaIds, languages })
    assert.equal(answer.statusCode, 400, answer.body)
    return answer.json().message
  }
  assert.match(await refused(['klingonese']), /"klingonese" is not a known language/)
  assert.equal(await refused([]), 'languages: Choose 1 to 8 languages.')
  assert.equal(await refused('en,de'), 'languages: Choose 1 to 8 languages.')
  assert.equal(
    await refused(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da']),
    'languages: Choose 1 to 8 languages.',
  )
  assert.deepEqual((await ann.get('/api/ai-runs')).json().runs, [])
})

test('an estimate counts what would be written and what is skipped', async (context) => {
  const { product } = await productWithEndpoint(context, 'alt-texts')
  const ann = await product.register()
  const ids: number[] = []
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) ids.push((await ann.addPicture(name)).id)
  await ann.patch(`/api/media/${ids[0]}`, { isDecorative: true })
  await ann.patch(`/api/media/${ids[1]}`, { altTexts: { en: 'Mine' } })
  const body = { mediaIds: ids, languages: ['en'] }
  const { images, decorative, complete } = (await ann.post('/api/media/bulk-alt-text/estimate', body)).json()
  assert.deepEqual({ images, decorative, complete }, { images: 1, decorative: 1, complete: 1 })
})
