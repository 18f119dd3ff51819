import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { modelsForTests, type Samples, samplesForTests } from '#engines/ai/testing/models-for-tests.ts'
import { makeAnimation, makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { until } from '#tests/support/until.ts'

let models: string
let samples: Samples
before(async () => {
  models = await modelsForTests()
  samples = await samplesForTests()
})

async function withShoe(context: TestContext) {
  const product = await testApp(context, { AI_LOCAL: '1', AI_MODELS_DIR: models })
  const ann = await product.register()
  return { product, ann, shoe: await ann.addPicture('shoe.jpg', await readFile(samples.photograph('shoe'))) }
}

/** How opaque the picture is at these parts of its width and height, 0 to 255. */
async function opacityAt(bytes: Buffer, points: [x: number, y: number][]) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return points.map(([x, y]) => data[(Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 4 + 3]!)
}
const corners: [number, number][] = [
  [0.02, 0.02],
  [0.98, 0.02],
  [0.02, 0.98],
  [0.98, 0.98],
]

for (const format of ['webp', 'png'] as const) {
  onOneDatabase(
    `removing the background adds a ${format} of the subject alone, and undo puts it in the trash`,
    async (context) => {
      const { ann, shoe } = await withShoe(context)
      await ann.patch(`/api/media/${shoe.id}`, {
        userDescription: 'My shoe',
        aiTags: ['shoe'],
        focalPoint: { x: 0.4, y: 0.6 },
      })
      const answer = await ann.post(`/api/media/${shoe.id}/remove-background`, { format })
      assert.equal(answer.statusCode, 201, answer.body)
      const { media, message } = answer.json()
      assert.deepEqual(
        [
          media.filename,
          media.mimeType,
          media.width,
          media.height,
          media.userDescription,
          media.aiTags,
          media.focalPoint,
        ],
        [
          `shoe-no-background.${format}`,
          `image/${format}`,
          shoe.width,
          shoe.height,
          'My shoe',
          ['shoe'],
          { x: 0.4, y: 0.6 },
        ],
      )
      assert.equal(message, `Added "shoe-no-background.${format}".`)
      const bytes = (await ann.get(media.originalUrl)).rawPayload
      assert.deepEqual(await opacityAt(bytes, corners), [0, 0, 0, 0])
      assert.ok((await opacityAt(bytes, [[0.42, 0.5]]))[0]! > 240, 'the shoe itself is opaque')
      assert.equal((await ann.get(shoe.originalUrl)).rawPayload.length, shoe.size, 'the original is as it was')
      const [change] = (await ann.get('/api/history')).json().changes
      assert.equal(change.title, 'Removed background')
      await ann.post(`/api/history/${change.id}/undo`)
      assert.ok((await ann.get(`/api/media/${media.id}`)).json().trashedAt)
    },
  )
}

onOneDatabase(
  'the preview shows the real result to the owner only, and accepting it does not compute it again',
  async (context) => {
    const { product, ann, shoe } = await withShoe(context)
    await ann.post(`/api/media/${shoe.id}/public`)
    const cutOut = context.mock.method(product.services.images, 'cutOut')
    const preview = (await ann.get(`/api/media/${shoe.id}/background-preview`)).json()
    const file = await ann.get(preview.url)
    assert.deepEqual([file.statusCode, file.rawPayload.length], [200, preview.size])
    assert.deepEqual(await opacityAt(file.rawPayload, corners), [0, 0, 0, 0])
    assert.equal((await product.visitor().get(preview.url)).statusCode, 404)
    assert.equal((await ann.get('/api/user/storage')).json().usedBytes, shoe.size, 'a preview costs no quota')
    const { media } = (await ann.post(`/api/media/${shoe.id}/remove-background`)).json()
    assert.equal(media.size, preview.size)
    assert.equal(cutOut.mock.callCount(), 1)
  },
)

onOneDatabase('a repeated request with the same run id adds one image', async (context) => {
  const { ann, shoe } = await withShoe(context)
  const runId = 'a-run-that-is-repeated'
  const [first, second] = [
    await ann.post(`/api/media/${shoe.id}/remove-background`, { runId }),
    await ann.post(`/api/media/${shoe.id}/remove-background`, { runId }),
  ]
  assert.deepEqual([first.statusCode, second.statusCode], [201, 201])
  assert.equal(first.json().media.id, second.json().media.id)
  assert.equal((await ann.get('/api/media/count')).json().totalCount, 2)
})

onOneDatabase(
  'videos, animations and plain surfaces are refused with a sentence, and nothing is added',
  async (context) => {
    const { product, ann, shoe } = await withShoe(context)
    const dance = await ann.addPicture('dance.gif', await makeAnimation('gif'))
    const plain = await ann.addPicture(
      'plain.png',
      await sharp({ create: { width: 300, height: 200, channels: 3, background: '#888' } })
        .png()
        .toBuffer(),
    )
    await product.services.db.updateTable('media').set({ type: 'video' }).where('id', '=', shoe.id).execute()
    const refusals: [id: number, status: number, message: RegExp][] = [
      [dance.id, 415, /^The background of an animation can't be removed\. Choose a still image\.$/],
      [shoe.id, 400, /^Backgrounds can be removed from images only\.$/],
      [plain.id, 422, /^Nothing stands out from the background of this image\.$/],
    ]
    for (const [id, status, message] of refusals) {
      for (const answer of [
        await ann.post(`/api/media/${id}/remove-background`),
        await ann.get(`/api/media/${id}/background-preview`),
      ]) {
        assert.equal(answer.statusCode, status, answer.body)
        assert.match(answer.json().message, message)
      }
    }
    assert.equal((await ann.post(`/api/media/${plain.id}/remove-background`, { format: 'gif' })).statusCode, 400)
    assert.equal((await ann.get('/api/media/count')).json().totalCount, 3)
  },
)

onOneDatabase('without the model the interface does not offer it, and a request says what to do', async (context) => {
  const empty = await mkdtemp(join(tmpdir(), 'no-models-'))
  context.after(() => rm(empty, { recursive: true }))
  const product = await testApp(context, { AI_LOCAL: '1', AI_MODELS_DIR: empty })
  const ann = await product.register()
  assert.equal((await ann.get('/api/services')).json().hasBackgroundRemoval, false)
  const { id } = await ann.addPicture('one.jpg', await makeJpeg())
  const answer = await ann.post(`/api/media/${id}/remove-background`)
  assert.deepEqual(
    [answer.statusCode, answer.json().message],
    [503, 'Background removal is not installed. Run `npm run models` on the server.'],
  )
})

test('of one user two backgrounds are removed at once, and another user does not wait for them', async (context) => {
  const { product, ann, shoe } = await withShoe(context)
  const bob = await product.register()
  const his = await bob.addPicture('sheep.jpg', await readFile(samples.photograph('sheep')))
  const hers = [shoe]
  for (const name of ['bottle', 'cat', 'laptop'])
    hers.push(await ann.addPicture(`${name}.jpg`, await readFile(samples.photograph(name))))
  const { images } = product.services
  const cutOut = images.cutOut
  const gate = Promise.withResolvers<void>()
  let [running, most] = [0, 0]
  context.mock.method(images, 'cutOut', async (input: Parameters<typeof cutOut>[0]) => {
    most = Math.max(most, ++running)
    await gate.promise
    return cutOut(input).finally(() => running--)
  })
  const preview = (user: TestUser, { id }: { id: number }) => user.get(`/api/media/${id}/background-preview`)
  const answers = hers.map((media) => preview(ann, media))
  await until('two are at work', () => running === 2)
  answers.push(preview(bob, his))
  await until('the other user is served too', () => running === 3)
  gate.resolve()
  assert.deepEqual([...new Set((await Promise.all(answers)).map(({ statusCode }) => statusCode))], [200])
  assert.equal(most, 3)
})

test('backgrounds of many images are removed in one run, with failures by item and one undo', async (context) => {
  const { product, ann, shoe } = await withShoe(context)
  assert.equal((await ann.get('/api/services')).json().hasBackgroundRemoval, true)
  const bob = await product.register()
  const his = await bob.addPicture('his.jpg')
  const bottle = await ann.addPicture('bottle.jpg', await readFile(samples.photograph('bottle')))
  const dance = await ann.addPicture('dance.gif', await makeAnimation('gif'))
  const mediaIds = [shoe.id, dance.id, his.id, bottle.id]
  const answer = await ann.post('/api/media/bulk-remove-background', { mediaIds })
  assert.equal(answer.statusCode, 200, answer.body)
  const { message, summary, errors, changeId } = answer.json()
  assert.deepEqual([message, summary], ['2 images without a background added.', { successful: 2, failed: 2 }])
  assert.deepEqual(
    errors.map(({ id }: { id: number }) => id),
    [dance.id, his.id],
  )
  const names = async () =>
    (await ann.get('/api/media?sort=name')).json().media.map(({ filename }: { filename: string }) => filename)
  assert.deepEqual(await names(), [
    'bottle-no-background.webp',
    'bottle.jpg',
    'dance.gif',
    'shoe-no-background.webp',
    'shoe.jpg',
  ])
  await ann.post(`/api/history/${changeId}/undo`)
  assert.deepEqual(await names(), ['bottle.jpg', 'dance.gif', 'shoe.jpg'])
})
