import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { pinFiles } from '../testing/fake-hub.ts'
import { examinationPicture, type HubFiles, makeTinyModel } from '../testing/tiny-hub-models.ts'
import { type HubModelId, hubFolder, hubModelById } from './catalog.ts'
import { toRegionTags, toSentences } from './florence.ts'
import { createHubEngine } from './hub-provider.ts'

async function withModels(context: TestContext, models: Partial<Record<HubModelId, HubFiles>>) {
  const modelsDirectory = await temporaryFolder(context)
  for (const [id, files] of Object.entries(models) as [HubModelId, HubFiles][]) {
    pinFiles(context, id, files)
    for (const [path, bytes] of files) {
      const target = join(hubFolder(modelsDirectory), hubModelById(id).repository, path)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, bytes)
    }
  }
  const engine = createHubEngine({ modelsDirectory })
  context.after(engine.close)
  return engine
}

test('models in the layout of the hub are loaded, pass the examination, and tag and describe a picture', async (context) => {
  const engine = await withModels(context, {
    siglip2: await makeTinyModel('siglip2'),
    florence2: await makeTinyModel('florence2'),
  })
  const tags = await engine.examine('siglip2')
  assert.deepEqual(
    [tags.isPassed, tags.message.replace(/[\d.]+ s /, 'N s ')],
    [true, 'Passed: 12 of 12 labels, 12 of 12 tags, 12 of 12 searches, N s per picture.'],
  )
  const descriptions = await engine.examine('florence2')
  assert.match(descriptions.message, /^Passed: 12 of 12 descriptions/)
  const frames = [examinationPicture('green-snake.jpg')]
  const analysis = await engine.provide(['siglip2', 'florence2']).analyze({ frames })
  assert.deepEqual([analysis.tags.map(({ name }) => name), analysis.description], [['snake'], 'A snake.'])
  const tag = (name: string, source: 'rule' | 'classifier') => ({ name, source, score: 0.9 })
  const hints = { ...analysis, tags: [tag('worm', 'classifier'), tag('black and white', 'rule')], text: 'Reptiles' }
  const together = await engine.provide(['siglip2']).analyze({ frames, hints })
  assert.deepEqual(
    [together.tags.map(({ name }) => name), together.text],
    [['snake', 'black and white'], 'Reptiles'],
    'with what only the built-in AI finds',
  )
})

test('Florence adds the words of the regions that it sees to those of the built-in AI', async (context) => {
  const engine = await withModels(context, { florence2: await makeTinyModel('florence2') })
  const frames = [examinationPicture('green-snake.jpg')]
  const hints = { ...(await engine.provide(['florence2']).analyze({ frames })), tags: [] }
  assert.deepEqual(
    (await engine.provide(['florence2']).analyze({ frames, hints })).tags.map(({ name, count }) => [name, count]),
    [['snake', 1]],
  )
  const known = { ...hints, tags: [{ name: 'grass', source: 'classifier' as const, score: 0.9 }] }
  const { tags } = await engine.provide(['florence2']).analyze({ frames, hints: known })
  assert.deepEqual(tags.map(({ name }) => name).sort(), ['grass', 'snake'])
})

test('region words are read with their number, the largest first, and broken ones are left out', () => {
  const written =
    '</s><s>dog<loc_0><loc_0><loc_100><loc_100><loc_200><loc_0><loc_300><loc_100>Car<loc_10><loc_10><loc_990><loc_990>tree<loc_5><loc_5></s>'
  assert.deepEqual(
    toRegionTags(written).map(({ name, count }) => [name, count]),
    [
      ['car', 1],
      ['dog', 2],
    ],
  )
  assert.deepEqual(toRegionTags('A caption without places.'), [])
})

test('a model that takes pictures for others fails the examination with the reason', async (context) => {
  const engine = await withModels(context, {
    siglip2: await makeTinyModel('siglip2', { isConfused: true }),
    florence2: await makeTinyModel('florence2', { captionOf: () => 'Something.' }),
  })
  const tags = await engine.examine('siglip2')
  assert.equal(tags.isPassed, false)
  assert.match(tags.message, /^It got 0 of 12 labels right and needs 10 \(wrong: cat, pizza,/)
  const descriptions = await engine.examine('florence2')
  assert.match(descriptions.message, /^It got 0 of 12 descriptions right/)
})

test('a file that is no model is refused, and the next task runs in the same process', async (context) => {
  const broken = await makeTinyModel('siglip2')
  broken.set('onnx/vision_model_int8.onnx', Buffer.from('This is not a model'))
  const engine = await withModels(context, { siglip2: broken, florence2: await makeTinyModel('florence2') })
  await assert.rejects(engine.examine('siglip2'), { code: 'ai-crashed' })
  assert.equal((await engine.examine('florence2')).isPassed, true)
})

test('what a model writes is plain text: no markup, no invisible characters, whole sentences', () => {
  const written = '</s><s>The image shows a cat.\u202e<script>alert(1)</script> It sits on a sofa. The cat is'
  assert.equal(toSentences(written), 'A cat. alert(1) It sits on a sofa.')
  assert.equal(toSentences('<loc_1><loc_2>'), '')
})
