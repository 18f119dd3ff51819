import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { startMisbehavingEndpoint } from '#engines/ai/testing/misbehaving-endpoint.ts'
import { modelsForTests, type Samples, samplesForTests } from '#engines/ai/testing/models-for-tests.ts'
import { cameraExif } from '#engines/images/pictures.fixture.ts'
import { beginEdition } from '#features/media/server/library-pause.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { sketchExample, uploadWithAi } from './analysis.fixture.ts'
import { describeAi } from './describe-ai.ts'
import { learnMeanings } from './likeness/meanings.ts'

const monthMs = 30 * 24 * 3600_000
let models: string
let samples: Samples

before(async () => {
  models = await modelsForTests()
  samples = await samplesForTests()
})

const withModels = (context: TestContext, settings: Record<string, string> = {}) =>
  testApp(context, { AI_LOCAL: '1', AI_MODELS_DIR: models, ...settings })

onOneDatabase(
  'without a key and network a photograph is tagged, similar ones are found and its tags are suggested',
  async (context) => {
    const product = await withModels(context)
    const [ann, bob] = [await product.register(), await product.register()]
    const photograph = await readFile(samples.photograph('cat'))
    const cat = await uploadWithAi(product, ann, 'cat.jpg', photograph)
    assert.deepEqual([cat.aiStatus, cat.aiModel], ['done', 'efficientnet-lite4+efficientdet-lite2+pp-ocrv4'])
    assert.ok(cat.aiTags.includes('cat'))

    const smaller = await uploadWithAi(
      product,
      ann,
      'smaller.jpg',
      await sharp(photograph).resize(500).withExif(cameraExif).jpeg().toBuffer(),
    )
    assert.equal(smaller.exif.place, 'London, United Kingdom')
    assert.doesNotMatch(smaller.aiDescription, /London|Canon|2024/, 'the description is also shown to visitors')
    for (const search of ['london', 'canon', '6 may 2024']) {
      const { media } = (await ann.get(`/api/media?search=${encodeURIComponent(search)}`)).json()
      assert.deepEqual(
        media.map(({ id }: { id: number }) => id),
        [smaller.id],
        search,
      )
    }

    const cropped = await uploadWithAi(
      product,
      ann,
      'cropped.jpg',
      await sharp(photograph).resize(300).extract({ left: 20, top: 20, width: 240, height: 160 }).jpeg().toBuffer(),
    )
    await uploadWithAi(product, ann, 'harbour.jpg', await readFile(samples.photograph('harbour')))
    await uploadWithAi(product, bob, 'bobs.jpg', photograph)

    const similar = async (query: string) =>
      (await ann.get(`/api/media?${query}`)).json().media.map(({ filename }: { filename: string }) => filename)
    assert.deepEqual(await similar(`similarToId=${cat.id}`), ['smaller.jpg', 'cropped.jpg'])
    const example = await sketchExample(ann, await sharp(photograph).resize(200).png().toBuffer())
    assert.equal(example.statusCode, 200)
    const found = await similar(`example=${example.json().example}`)
    assert.deepEqual(found.toSorted(), ['cat.jpg', 'cropped.jpg', 'smaller.jpg'])

    const copy = await ann.addPicture('harbour again.jpg', await readFile(samples.photograph('harbour')))
    const { groups, total } = (await ann.get('/api/media/duplicates')).json()
    const groupNames = groups.map((group: { filename: string }[]) => group.map(({ filename }) => filename).sort())
    assert.equal(total, 2)
    assert.deepEqual(groupNames, [
      [copy.filename, 'harbour.jpg'],
      ['cat.jpg', 'smaller.jpg'],
    ])
    assert.equal((await bob.get('/api/media/duplicates')).json().total, 0)

    for (const { id, aiTags } of [smaller, cropped])
      await ann.patch(`/api/media/${id}`, { aiTags: [...aiTags, 'minka'] })
    const { suggestedTags } = (await ann.post(`/api/media/${cat.id}/suggest-tags`)).json()
    assert.ok(suggestedTags.includes('minka') && suggestedTags.includes('cat'), String(suggestedTags))

    const ai = await describeAi(product.services)
    assert.deepEqual(
      [ai.providers.map(({ name }) => name), ai.models.state, ai.models.missing],
      [['local'], 'ready', []],
    )
    assert.equal(ai.analysedInLastHour, 5)
  },
)

onOneDatabase(
  "if the endpoint fails, the built-in AI's result is used with the reason, and later sent to the endpoint as hints",
  async (context) => {
    const endpoint = await startMisbehavingEndpoint()
    context.after(endpoint.close)
    const product = await withModels(context, { AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'busy-for-an-hour' })
    const ann = await product.register()
    const cat = await uploadWithAi(product, ann, 'cat.jpg', await readFile(samples.photograph('cat')))
    assert.equal(cat.aiStatus, 'done')
    assert.ok(cat.aiTags.includes('cat'))
    assert.match(cat.aiModel, /efficientnet/)
    assert.match(cat.aiError, /rate limited/)
    await uploadWithAi(product, ann, 'laptop.jpg', await readFile(samples.photograph('laptop')))
    assert.equal(endpoint.asked('busy-for-an-hour').length, 1, 'no requests are sent during the pause')

    await product.restart({ AI_MODEL: 'second-opinion' })
    await product.services.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'analyze-media').execute()
    await product.settled()
    const better = (await ann.get(`/api/media/${cat.id}`)).json()
    assert.deepEqual(
      [better.aiModel, better.aiError, better.aiTags],
      ['second-opinion', null, ['animal', 'kitten', 'sofa']],
    )
    assert.match(endpoint.asked('second-opinion')[0]!.prompt, /tagsFoundByOtherModel.*cat/)
  },
)

onOneDatabase(
  'an analysis finds the focal point of an item, and an endpoint does not take it away',
  async (context) => {
    const endpoint = await startMisbehavingEndpoint()
    context.after(endpoint.close)
    const settings = { AI_BASE_URL: endpoint.baseUrl, AI_MODEL: 'second-opinion', AI_TIMEOUT_SECONDS: '60' }
    for (const product of [await withModels(context), await withModels(context, settings)]) {
      const ann = await product.register()
      const portrait = await uploadWithAi(
        product,
        ann,
        'one.jpg',
        await readFile(samples.photograph('portrait-with-phone')),
      )
      const { x, y } = portrait.focalPoint
      assert.ok(x > 0.45 && x < 0.65 && y > 0.15 && y < 0.35, `the face is at ${x}, ${y}`)
      await ann.patch(`/api/media/${portrait.id}`, { focalPoint: { x: 0, y: 1 } })
      await ann.post(`/api/media/${portrait.id}/analyze`)
      await product.settled()
      assert.deepEqual((await ann.get(`/api/media/${portrait.id}`)).json().focalPoint, { x: 0, y: 1 })
    }
  },
)

test('a search finds pictures by the meaning of its words, listed separately and not counted', async (context) => {
  const product = await withModels(context)
  const [ann, bob] = [await product.register(), await product.register()]
  const cat = await uploadWithAi(product, ann, 'one.jpg', await readFile(samples.photograph('cat')))
  const written = await ann.addPicture('two.jpg')
  await ann.patch(`/api/media/${written.id}`, { userDescription: 'A feline museum poster' })
  await uploadWithAi(product, ann, 'three.jpg', await readFile(samples.photograph('harbour')))
  await uploadWithAi(product, bob, 'bobs.jpg', await readFile(samples.photograph('cat')))
  await product.services.ai.modelsSettled()
  await learnMeanings(product.services, new AbortController().signal)
  const idsOf = (media: { id: number }[]) => media.map(({ id }) => id)
  const search = async (words: string, more = '') => {
    const { media, near, pagination } = (await ann.get(`/api/media?search=${words}${more}`)).json()
    assert.equal(pagination.totalCount, media.length, words)
    return [idsOf(media), idsOf(near)]
  }
  // The model process may be slower than a search waits, but a later search finds the result.
  await until('the query has been embedded', async () => (await search('feline'))[1]!.length > 0)
  assert.deepEqual(await search('feline'), [[written.id], [cat.id]])
  assert.deepEqual(await search('feline', '&type=video'), [[], []])
  for (const other of ['guitar', 'tax return']) {
    await search(other)
    assert.deepEqual(await search(other), [[], []], `nothing here is near "${other}"`)
  }
  assert.deepEqual(await search('feline', '&sort=name'), [[written.id], []])
  assert.deepEqual(await search('feline', '&favorite=true'), [[], []])
  await ann.post('/api/media/bulk-trash', { mediaIds: [cat.id] })
  assert.deepEqual(await search('feline'), [[written.id], []])
  await ann.post('/api/media/bulk-restore', { mediaIds: [cat.id] })
  assert.deepEqual(await search('feline'), [[written.id], [cat.id]])
  await ann.patch(`/api/media/${cat.id}`, { aiTags: ['animal'], aiDescription: 'An animal.' })
  await learnMeanings(product.services, new AbortController().signal)
  assert.deepEqual(
    await search('feline'),
    [[written.id], [cat.id]],
    'its words no longer say which animal it is, but the picture still shows a cat',
  )
  await ann.post('/api/media/bulk-trash', { mediaIds: [written.id] })
  assert.deepEqual(await search('feline'), [[], [cat.id]])

  const { db } = product.services
  const relearn = async (change: () => Promise<unknown>) => {
    // Items changed recently are always processed, so this one is made older.
    const old = { updated_at: Date.now() - monthMs }
    await db.updateTable('media').set(old).where('id', '=', cat.id).execute()
    await change()
    await learnMeanings(product.services, new AbortController().signal)
  }
  await relearn(() => ann.patch(`/api/media/${cat.id}`, { aiTags: [], aiDescription: '' }))
  const tagging = { mediaIds: [cat.id], tags: ['kitten', 'cat'] }
  let changeId = 0
  await relearn(async () => (changeId = (await ann.post('/api/media/bulk-add-tags', tagging)).json().changeId))
  assert.deepEqual(await search('feline'), [[], [cat.id]], 'bulk tags are indexed like single tags')
  await relearn(() => ann.post(`/api/history/${changeId}/undo`))
  assert.deepEqual(await search('feline'), [[], []], 'an item without words is not found')
  const learned = async () => {
    await learnMeanings(product.services, new AbortController().signal)
    return (await db.selectFrom('meanings').select('media_id').execute()).map(({ media_id }) => media_id)
  }
  await db
    .updateTable('media')
    .set({ updated_at: Date.now() + monthMs })
    .where('id', '=', cat.id)
    .execute()
  await learned()
  const late = await ann.addPicture('late.jpg')
  await ann.patch(`/api/media/${late.id}`, { userDescription: 'A lighthouse' })
  assert.ok((await learned()).includes(late.id), 'an item changed after a clock correction is indexed')
  await db.updateTable('media').set({ updated_at: 1 }).execute()
  await db.deleteFrom('meanings').execute()
  await beginEdition(db)
  assert.equal((await learned()).length, 4, 'all items of a replaced library are indexed')
})

onOneDatabase(
  'without an endpoint alt texts are drafts in the languages of the built-in AI, and say so',
  async (context) => {
    const product = await withModels(context)
    const ann = await product.register()
    await ann.patch('/api/user/preferences', { aiLanguage: 'de' })
    const cat = await uploadWithAi(product, ann, 'cat.jpg', await readFile(samples.photograph('cat')))
    assert.match(cat.aiDescription, /^Eine .*[Kk]atze/)
    assert.ok(cat.aiTags.includes('cat'), 'tags stay English')
    const write = (languages: string[]) =>
      ann.post('/api/media/bulk-alt-text', { mediaIds: [cat.id], languages, runId: 'r' })
    const refused = await write(['de', 'ja'])
    assert.deepEqual(
      [refused.statusCode, refused.json().message],
      [
        400,
        'The built-in AI writes alt texts in English, German, French, Spanish, Italian, Portuguese, Dutch, but not in Japanese. Choose one of these, or connect a model with AI_BASE_URL.',
      ],
    )
    assert.equal((await write(['en', 'de', 'fr', 'pt-BR'])).statusCode, 200)
    const [proposal] = (await ann.get('/api/ai-reviews/r')).json().items
    assert.equal(proposal.note, 'This is a draft. Please check it before you apply it.')
    const texts = Object.fromEntries(
      proposal.altTexts.map(({ language, after }: { language: string; after: string }) => [language, after]),
    )
    assert.match(texts.en, /^A .*cat/)
    assert.match(texts.de, /^Eine .*[Kk]atze/)
    assert.match(texts.fr, /^Un chat/)
    assert.match(texts['pt-BR'], /^Um gato/)
  },
)
