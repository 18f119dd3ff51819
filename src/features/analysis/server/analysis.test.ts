import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createClipMaker } from '#engines/video/testing/clips.ts'
import { makeJpeg, makePhoto } from '#tests/support/pictures.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import { productWithEndpoint, uploadWithAi } from './analysis.fixture.ts'

test('an upload with AI gets a description, tags and the model name, and search finds it by those words', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const media = await uploadWithAi(product, ann)
  assert.deepEqual([media.aiStatus, media.aiError], ['done', null])
  assert.equal(media.aiDescription, 'A close-up of an orange cat.')
  assert.deepEqual(media.aiTags, ['cat', 'animal'])
  assert.deepEqual(media.tagOrigins[0], { tag: 'cat', source: 'ai', score: 0.9 })
  assert.equal(media.aiModel, 'good')
  assert.ok(Date.parse(media.aiAnalysedAt) > Date.now() - 60_000)
  assert.equal((await ann.get('/api/media?search=orange')).json().media[0].id, media.id)
  assert.equal(endpoint.asked('good').length, 1)
})

test('the model receives no date, location or camera of a picture', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture('cat.jpg', await makePhoto())
  const { publicUrlSlug } = (await ann.post(`/api/media/${id}/public`)).json()
  await ann.post(`/api/media/${id}/analyze`)
  const { prompt } = endpoint.asked('good')[0]!
  assert.doesNotMatch(prompt, /2024|Canon|place/i)
  const published = (await product.visitor().get(`/api/public/media/${publicUrlSlug}`)).json().media
  assert.equal(published.aiDescription, 'A close-up of an orange cat.')
})

test('an upload without AI is not analyzed until the user requests it', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const media = await ann.addPicture()
  await product.settled()
  assert.equal(endpoint.asked('good').length, 0)
  assert.equal(media.aiStatus, 'none')
  const answer = await ann.post(`/api/media/${media.id}/analyze`)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual([answer.json().aiStatus, answer.json().aiTags], ['done', ['cat', 'animal']])
})

test('a video is analyzed using a few of its scenes', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)
  const media = await uploadWithAi(product, ann, 'clip.mp4', await readFile(await clips.make()))
  assert.deepEqual([media.type, media.aiStatus, media.aiTags], ['video', 'done', ['cat', 'animal']])
  const { pictures } = endpoint.asked('good')[0]!
  assert.ok(pictures.length >= 1 && pictures.length <= 6, `${pictures.length} frames`)
  assert.ok(
    pictures.every((bytes) => bytes.readUInt16BE(0) === 0xffd8),
    'small JPEGs, not the video',
  )
  await uploadWithAi(product, ann, 'blink.mp4', await readFile(await clips.make({ frames: 1 })))
  const { prompt } = endpoint.asked('good').at(-1)!
  assert.match(prompt, /"kind":"1 frame of one video, in order"/, 'a video with one frame is still a video')
})

test("a user's own text survives every analysis, and tags they removed never return", async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  await ann.patch(`/api/media/${id}`, { aiDescription: 'Our Minka.', aiTags: ['animal', 'minka', 'sofas'] })
  await product.restart({ AI_MODEL: 'second-opinion' })
  const again = (await ann.post(`/api/media/${id}/analyze`)).json()
  assert.equal(again.aiDescription, 'Our Minka.')
  assert.equal(again.aiModel, 'second-opinion')
  assert.deepEqual(
    again.aiTags,
    ['animal', 'minka', 'sofas', 'kitten'],
    'her spelling of "sofa" stays, "cat" does not return',
  )
  assert.deepEqual(
    again.tagOrigins.map(({ source }: { source: string }) => source),
    ['person', 'person', 'person', 'ai'],
    'tags that the user kept while editing become her own',
  )
  await product.restart({ AI_MODEL: 'good' })
  const third = (await ann.post(`/api/media/${id}/analyze`)).json()
  assert.deepEqual(third.aiTags, ['animal', 'minka', 'sofas'], 'the removed "cat" does not come back')
  assert.equal(third.aiDescription, 'Our Minka.')
  assert.equal((await ann.get('/api/media?search=minka')).json().media.length, 1)
})

test('a bulk tag belongs to the user even if the AI had added it before, and a copy remembers removed tags', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id, aiTags } = await uploadWithAi(product, ann)
  assert.deepEqual(aiTags, ['cat', 'animal'])
  const { summary } = (await ann.post('/api/media/bulk-add-tags', { mediaIds: [id], tags: ['cat'] })).json()
  assert.equal(summary.addedTags, 0)
  await product.restart({ AI_MODEL: 'second-opinion' })
  const again = (await ann.post(`/api/media/${id}/analyze`)).json()
  assert.deepEqual(again.aiTags.toSorted(), ['animal', 'cat', 'kitten', 'sofa'], 'the second model knows no "cat"')

  await ann.patch(`/api/media/${id}`, { aiTags: ['cat'] })
  const copy = (await ann.post(`/api/media/${id}/copy`)).json()
  assert.deepEqual((await ann.post(`/api/media/${copy.id}/analyze`)).json().aiTags, ['cat'])
})

test('a removed tag stays removed after it was added in bulk and undone', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  await ann.patch(`/api/media/${id}`, { aiTags: ['animal'] })
  const { changeId } = (await ann.post('/api/media/bulk-add-tags', { mediaIds: [id], tags: ['cat', 'ours'] })).json()
  assert.equal((await ann.post(`/api/history/${changeId}/undo`)).json().undone, 1)
  assert.deepEqual((await ann.post(`/api/media/${id}/analyze`)).json().aiTags, ['animal'])
})

test('a description that the user cleared stays empty', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  await ann.patch(`/api/media/${id}`, { aiDescription: '' })
  assert.equal((await ann.post(`/api/media/${id}/analyze`)).json().aiDescription, null)
})

test("reverting restores earlier analyses step by step and keeps the user's own text", async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await ann.addPicture()
  await ann.patch(`/api/media/${id}`, { aiTags: ['mine'] })
  await ann.post(`/api/media/${id}/analyze`)
  await product.restart({ AI_MODEL: 'second-opinion' })
  const twice = (await ann.post(`/api/media/${id}/analyze`)).json()
  assert.deepEqual(twice.aiTags, ['mine', 'animal', 'kitten', 'sofa'])
  const first = (await ann.post(`/api/media/${id}/revert-analysis`)).json()
  assert.equal(first.aiDescription, 'A close-up of an orange cat.')
  assert.deepEqual(first.aiTags.toSorted(), ['animal', 'cat', 'mine'])
  assert.equal(first.aiModel, 'good')
  assert.equal(
    (await ann.get('/api/media?search=sleeps')).json().media.length,
    0,
    'search no longer finds the reverted text',
  )
  await ann.patch(`/api/media/${id}`, { aiDescription: 'Hers.' })
  const second = (await ann.post(`/api/media/${id}/revert-analysis`)).json()
  assert.deepEqual(
    [second.aiDescription, second.aiTags, second.aiStatus, second.aiModel],
    ['Hers.', ['mine'], 'none', null],
  )
  const third = await ann.post(`/api/media/${id}/revert-analysis`)
  assert.equal(third.statusCode, 409)
  assert.equal(third.json().message, 'There is no analysis to revert.')
})

test("reverting puts each tag back in its position and keeps the user's order", async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  await ann.post('/api/media/bulk-add-tags', { mediaIds: [id], tags: ['mine', 'ours'] })
  const before = (await ann.get(`/api/media/${id}`)).json().aiTags
  assert.deepEqual(before, ['cat', 'animal', 'mine', 'ours'])
  await product.restart({ AI_MODEL: 'second-opinion' })
  const looked = (await ann.post(`/api/media/${id}/analyze`)).json().aiTags
  assert.deepEqual(looked, ['animal', 'mine', 'ours', 'kitten', 'sofa'])
  assert.deepEqual((await ann.post(`/api/media/${id}/revert-analysis`)).json().aiTags, before)

  await ann.post(`/api/media/${id}/analyze`)
  await ann.patch(`/api/media/${id}`, { aiTags: ['ours', 'mine', 'animal', 'kitten', 'sofa'] })
  const rearranged = (await ann.post(`/api/media/${id}/revert-analysis`)).json().aiTags
  assert.deepEqual(rearranged, ['cat', 'ours', 'mine', 'animal'])
})

test('repeating the same analysis adds nothing to revert', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const { id } = await uploadWithAi(product, ann)
  await ann.post(`/api/media/${id}/analyze`)
  await ann.post(`/api/media/${id}/analyze`)
  assert.deepEqual((await ann.post(`/api/media/${id}/revert-analysis`)).json().aiTags, [])
})

test('the same bytes are sent once, across uploads, users, copies and repeated analyses', async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const [ann, bob] = [await product.register(), await product.register()]
  const bytes = await makeJpeg()
  const [first, second] = await Promise.all([
    uploadWithAi(product, ann, 'one.jpg', bytes),
    uploadWithAi(product, ann, 'two.jpg', bytes),
  ])
  const third = await uploadWithAi(product, bob, 'three.jpg', bytes)
  const copy = (await ann.post(`/api/media/${first.id}/copy`)).json()
  await ann.post(`/api/media/${copy.id}/analyze`)
  await ann.post(`/api/media/${first.id}/analyze`)
  await ann.post(`/api/media/${first.id}/suggest-tags`)
  assert.deepEqual(
    [first, second, third].map(({ aiStatus }) => aiStatus),
    ['done', 'done', 'done'],
  )
  assert.equal(endpoint.asked('good').length, 1)
})

test("a user's own text is neither sent to an endpoint nor shown to another user with the same picture", async (context) => {
  const { product, endpoint } = await productWithEndpoint(context, 'good')
  const [ann, bob] = [await product.register(), await product.register()]
  const bytes = await makeJpeg()
  const tagged = await ann.addPicture()
  await ann.patch(`/api/media/${tagged.id}`, { aiTags: ['grandmother erna', 'cats'], userDescription: 'Secret garden' })
  const own = await uploadWithAi(product, ann, 'erna.jpg', bytes)
  const foreign = await uploadWithAi(product, bob, 'other.jpg', bytes)
  const { prompt, system } = endpoint.asked('good')[0]!
  assert.doesNotMatch(prompt + system, /erna|secret|cats/i)
  assert.deepEqual(own.aiTags, ['cats', 'animal'], 'her own spelling')
  assert.deepEqual(foreign.aiTags, ['cat', 'animal'])
})

test("suggestions use the library's spelling, leave out removed tags, and change nothing", async (context) => {
  const { product } = await productWithEndpoint(context, 'second-opinion')
  const ann = await product.register()
  const other = await ann.addPicture()
  await ann.patch(`/api/media/${other.id}`, { aiTags: ['sofas', 'home', 'harbour'] })
  const media = await ann.addPicture()
  await ann.patch(`/api/media/${media.id}`, { aiTags: ['kitten'] })
  await ann.patch(`/api/media/${media.id}`, { aiTags: [] })
  const answer = await ann.post(`/api/media/${media.id}/suggest-tags`)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().suggestedTags, ['sofas', 'animal', 'home'], '"home" stands in the picture')
  const after = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual([after.aiTags, after.aiStatus], [[], 'none'])
})

test('without any AI an upload succeeds without an error, and requesting an analysis returns 503', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await uploadWithAi(product, ann)
  assert.deepEqual([media.aiStatus, media.aiError], ['none', null])
  for (const call of ['analyze', 'suggest-tags']) {
    const answer = await ann.post(`/api/media/${media.id}/${call}`)
    assert.equal(answer.statusCode, 503)
    assert.match(answer.json().message, /AI_LOCAL=1.*AI_BASE_URL/)
  }
})
