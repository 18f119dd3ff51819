import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { productWithEndpoint } from './analysis.fixture.ts'

async function makeCollection(user: TestUser, files: [name: string, tags: string[]][]) {
  const { id } = (await user.post('/api/collections', { name: 'Shoes' })).json()
  for (const [name, aiTags] of files) {
    const media = await user.addPicture(name)
    await user.patch(`/api/media/${media.id}`, { aiTags })
    await user.post(`/api/collections/${id}/media/${media.id}`)
  }
  return id
}

const namesIn = async (user: TestUser, id: number) =>
  (await user.get(`/api/media?collectionId=${id}&sort=name`))
    .json()
    .media.map(({ filename }: { filename: string }) => filename)

test('images get readable, unique names from their tags and descriptions, even without any AI', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const id = await makeCollection(ann, [
    ['IMG_0001.jpg', ['running shoe', 'red']],
    ['IMG_0002.jpg', ['running shoe', 'red']],
  ])
  const asked = await ann.post(`/api/collections/${id}/ai-rename`, {
    company: 'Acme',
    context: 'spring',
    preview: true,
  })
  assert.equal(asked.statusCode, 200, asked.body)
  assert.deepEqual(asked.json().stats, { renamed: 2, unchanged: 0 })
  for (const { thumbnailUrl } of asked.json().names) assert.equal((await ann.get(thumbnailUrl)).statusCode, 200)
  assert.deepEqual(await namesIn(ann, id), ['IMG_0001.jpg', 'IMG_0002.jpg'], 'a preview changes nothing')
  const renamed = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', context: 'spring' })).json()
  assert.deepEqual(renamed.stats, { renamed: 2, unchanged: 0 })
  const names = await namesIn(ann, id)
  assert.deepEqual(names, renamed.names.map(({ to }: { to: string }) => to).sort())
  assert.ok(
    names.every((name: string) => /^Acme .*running shoe.*spring.*\.jpg$/.test(name)),
    String(names),
  )
  assert.equal(new Set(names).size, 2)
  assert.equal((await ann.get('/api/media?search=acme')).json().media.length, 2)
  const again = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', context: 'spring' })).json()
  assert.deepEqual(again.stats, { renamed: 0, unchanged: 2 }, 'repeating the rename changes nothing')
})

test('a reviewed preview is applied as shown, and its undo skips names changed since', async (context) => {
  const { product } = await productWithEndpoint(context, 'naming')
  const ann = await product.register()
  const id = await makeCollection(ann, [
    ['IMG_0001.jpg', []],
    ['IMG_0002.jpg', []],
  ])
  const preview = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', preview: true })).json()
  assert.deepEqual(
    preview.names.map(({ to }: { to: string }) => to),
    ['Acme red running shoe.jpg', 'Acme red running shoe 2.jpg'],
  )
  assert.equal(preview.note, null)
  const names = preview.names.map(({ id: mediaId }: { id: number }, index: number) => ({
    id: mediaId,
    to: index === 0 ? '../Chosen by hand.exe' : 'Acme red running shoe 2.jpg',
  }))
  const applied = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', names })).json()
  const after = await namesIn(ann, id)
  assert.ok(after.includes('Acme red running shoe 2.jpg'))
  assert.ok(
    after.some((name: string) => /Chosen by hand\.jpg$/.test(name) && !name.includes('/')),
    String(after),
  )
  const long = names.map(({ id: mediaId }: { id: number }) => ({ id: mediaId, to: 'x'.repeat(200) }))
  const cut = (
    await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', names: long, preview: true })
  ).json()
  assert.deepEqual(
    cut.names.map(({ to }: { to: string }) => to),
    [`${'x'.repeat(196)}.jpg`, `${'x'.repeat(194)} 2.jpg`],
    'names have the maximum length and are unique',
  )
  await ann.patch(`/api/media/${names[0].id}`, { filename: 'Mine.jpg' })
  const undone = await ann.post(`/api/ai-runs/${applied.runId}/revert`)
  assert.equal(undone.json().reverted, 1)
  assert.deepEqual(await namesIn(ann, id), ['IMG_0002.jpg', 'Mine.jpg'])
})

test('an item that was renamed between the preview and its application keeps its name', async (context) => {
  const { product } = await productWithEndpoint(context, 'naming')
  const ann = await product.register()
  const id = await makeCollection(ann, [
    ['IMG_0001.jpg', []],
    ['IMG_0002.jpg', []],
  ])
  const { names } = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', preview: true })).json()
  await ann.patch(`/api/media/${names[0].id}`, { filename: 'Mine.jpg' })
  const { stats } = (await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', names })).json()
  assert.deepEqual(stats, { renamed: 1, unchanged: 1 })
  assert.deepEqual(await namesIn(ann, id), ['Acme red running shoe 2.jpg', 'Mine.jpg'])
})

test('as many reviewed names as a collection may have items are applied, regardless of their length', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const id = await makeCollection(ann, [['IMG_0001.jpg', []]])
  const [{ id: mediaId }] = (await ann.get('/api/media')).json().media
  // Items that are not in the collection are skipped.
  const names = Array.from({ length: 10_001 }, (_, index) => ({
    id: mediaId + index,
    to: `Shoe ${'x'.repeat(190)}.jpg`,
  }))
  const applied = await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', names })
  assert.equal(applied.statusCode, 200, applied.body)
  assert.deepEqual(await namesIn(ann, id), [names[0]!.to])
})

test('an item that is renamed while the AI responds keeps its name', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const ann = await product.register()
  const id = await makeCollection(ann, [
    ['IMG_0001.jpg', []],
    ['IMG_0002.jpg', []],
  ])
  const [second, first] = (await ann.get(`/api/media?collectionId=${id}`)).json().media
  await ann.patch(`/api/media/${first.id}`, { userDescription: 'Harbour of Porto at dusk' })
  const arrival = endpoint.nextArrival()
  const renaming = ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme' })
  await arrival
  await ann.patch(`/api/media/${first.id}`, { filename: 'Mine.jpg' })
  endpoint.release()
  const { stats, names, runId } = (await renaming).json()
  assert.deepEqual(stats, { renamed: 1, unchanged: 1 })
  assert.deepEqual(
    names.filter(({ from, to }: { from: string; to: string }) => from !== to).map((name: { id: number }) => name.id),
    [second.id],
  )
  assert.deepEqual(await namesIn(ann, id), ['Acme orange cat.jpg', 'Mine.jpg'])
  assert.equal((await ann.post(`/api/ai-runs/${runId}/revert`)).json().reverted, 1)
  assert.deepEqual(await namesIn(ann, id), ['IMG_0002.jpg', 'Mine.jpg'])
})

test('deleting an item while the AI responds does not affect the other names', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'held')
  const ann = await product.register()
  const id = await makeCollection(ann, [
    ['IMG_0001.jpg', []],
    ['IMG_0002.jpg', []],
  ])
  const [, first] = (await ann.get(`/api/media?collectionId=${id}`)).json().media
  await ann.patch(`/api/media/${first.id}`, { userDescription: 'Harbour of Porto at dusk' })
  const arrival = endpoint.nextArrival()
  const renaming = ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme' })
  await arrival
  await ann.delete(`/api/media/${first.id}`)
  endpoint.release()
  const renamed = await renaming
  assert.equal(renamed.statusCode, 200, renamed.body)
  assert.deepEqual(renamed.json().stats, { renamed: 1, unchanged: 1 })
  assert.deepEqual(await namesIn(ann, id), ['Acme orange cat.jpg'])
})

test('if the endpoint fails, names are made by rules, it is not called for each item, and a note says so', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'wrong-key')
  const ann = await product.register()
  const files = Array.from({ length: 7 }, (_, index): [string, string[]] => [`IMG_${index}.jpg`, ['harbour']])
  const id = await makeCollection(ann, files)
  const answer = await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme' })
  assert.deepEqual(answer.json().stats, { renamed: 7, unchanged: 0 })
  assert.equal(answer.json().note, '7 names made without the AI. The AI endpoint refused the key. Check AI_API_KEY.')
  assert.ok(endpoint.asked('wrong-key').length <= 4, 'only the concurrent requests were sent')
  assert.match((await namesIn(ann, id))[0], /harbour/i)
})

test('only names made by a model count as paid', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'naming')
  const ann = await product.register()
  const id = await makeCollection(ann, [
    ['IMG_0001.jpg', []],
    ['IMG_0002.jpg', []],
  ])
  const { media } = (await ann.get(`/api/media?collectionId=${id}`)).json()
  await ann.patch(`/api/media/${media[0].id}`, { userDescription: 'Harbour of Porto at dusk' })
  const callsAfter = async (model: string) => {
    if (model !== 'naming') await product.restart({ AI_MODEL: model })
    product.services.ai.endpoint!.isPaid = true
    const answer = await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', preview: true })
    assert.deepEqual(answer.json().stats, { renamed: 2, unchanged: 0 })
    const rows = await product.services.db.selectFrom('ai_usage').select('calls').execute()
    return rows.map(({ calls }) => calls)
  }
  assert.deepEqual(await callsAfter('naming'), [1, 1], "a user's own text is used as the name")
  assert.equal(endpoint.asked('naming').length, 1)
  assert.deepEqual(await callsAfter('failing'), [1, 1], 'a failed request is not counted as paid')
})

test("AI Rename requires a company and returns 404 for another user's collection", async (context) => {
  const product = await testApp(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const id = await makeCollection(ann, [])
  assert.equal((await ann.post(`/api/collections/${id}/ai-rename`, { company: '  ' })).statusCode, 400)
  assert.equal((await bob.post(`/api/collections/${id}/ai-rename`, { company: 'Acme' })).statusCode, 404)
  const longest = { company: 'a'.repeat(2000), context: 'b'.repeat(2000) }
  assert.deepEqual((await ann.post(`/api/collections/${id}/ai-rename`, longest)).json().stats, {
    renamed: 0,
    unchanged: 0,
  })
})

onOneDatabase('an AI rename that is reverted while in progress stops renaming', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { db, events } = product.services
  const ids = await insertManyMedia(db, ann.id, 501)
  const { id: collection_id } = (await ann.post('/api/collections', { name: 'Many' })).json()
  const members = ids.map((media_id) => ({
    collection_id,
    media_id,
    media_created_at: 0,
    position: media_id,
    added_at: 0,
  }))
  await db.insertInto('collection_media').values(members).execute()
  const takeBack = async () => {
    const { runs } = (await ann.get('/api/ai-runs')).json()
    assert.equal((await ann.post(`/api/ai-runs/${runs[0].runId}/revert`)).json().reverted, 500)
  }
  context.mock.method(events, 'publish', takeBack, { times: 1 })
  const { stats } = (await ann.post(`/api/collections/${collection_id}/ai-rename`, { company: 'Acme' })).json()
  assert.deepEqual(stats, { renamed: 500, unchanged: 1 })
  const names = await db.selectFrom('media').select('filename').where('filename', 'not like', 'photo %').execute()
  assert.deepEqual(names, [])
})

test('with a pattern the images get web names, and their public addresses follow when asked', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const id = await makeCollection(ann, [
    ['IMG_0001.JPG', ['turnschuh', 'größe']],
    ['IMG_0002.JPG', ['turnschuh', 'größe']],
  ])
  const [{ id: mediaId }] = (await ann.get(`/api/media?collectionId=${id}&sort=name`)).json().media
  await ann.post(`/api/media/${mediaId}/public`)
  const { publicUrlSlug: earlier } = (await ann.get(`/api/media/${mediaId}`)).json()
  const ask = { company: 'Müller', pattern: '{website}-{subject}' }
  const preview = (await ann.post(`/api/collections/${id}/ai-rename`, { ...ask, preview: true })).json()
  const wanted = ['mueller-turnschuh-groesse.jpg', 'mueller-turnschuh-groesse-2.jpg']
  assert.deepEqual(new Set(preview.names.map(({ to }: { to: string }) => to)), new Set(wanted))
  const { runId } = (
    await ann.post(`/api/collections/${id}/ai-rename`, { ...ask, names: preview.names, renameAddresses: true })
  ).json()
  const item = (await ann.get(`/api/media/${mediaId}`)).json()
  assert.equal(`${item.publicUrlSlug}.jpg`, item.filename)
  assert.equal((await product.visitor().get(`/public/${earlier}`)).headers.location, `/public/${item.publicUrlSlug}`)
  await ann.post(`/api/ai-runs/${runId}/revert`)
  assert.equal((await ann.get(`/api/media/${mediaId}`)).json().publicUrlSlug, earlier)
  assert.deepEqual(await namesIn(ann, id), ['IMG_0001.JPG', 'IMG_0002.JPG'])
})

test('the pattern of its website is the default for the names of a collection', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const id = await makeCollection(ann, [['rote-Schuhe.jpg', []]])
  await ann.post('/api/websites', { name: 'Acme', languages: ['de'], namePattern: '{subject}-von-{website}' })
  await ann.patch(`/api/collections/${id}`, { company: 'Acme' })
  const nameFor = async (pattern?: string | null) => {
    const answer = await ann.post(`/api/collections/${id}/ai-rename`, { company: 'Acme', pattern, preview: true })
    return answer.json().names[0].to
  }
  assert.equal(await nameFor(), 'rote-schuhe-von-acme.jpg')
  assert.equal(await nameFor('{subject}'), 'rote-schuhe.jpg')
  assert.equal(await nameFor(null), 'Acme rote Schuhe.jpg')
})
