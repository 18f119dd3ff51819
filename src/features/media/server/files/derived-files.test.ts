import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { writePngBomb } from '#engines/images/pictures.fixture.ts'
import { makeAnimation, makeJpeg } from '#tests/support/pictures.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'

test('supported sizes and formats are rendered once, and others are refused', async (context) => {
  const { register, services } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('photo.jpg', await makeJpeg({ width: 800, height: 400 }))
  const render = context.mock.method(services.images, 'render')
  const wanted: [query: string, type: string, width: number][] = [
    ['w=320', 'image/webp', 320],
    ['w=640&format=jpeg', 'image/jpeg', 640],
    ['w=320&format=avif', 'image/avif', 320],
    ['format=webp', 'image/webp', 800],
    ['w=2560', 'image/webp', 800],
  ]
  for (const [query, type, width] of wanted) {
    const answers = await Promise.all([1, 2, 3].map(() => ann.get(`${media.originalUrl}?${query}`)))
    for (const answer of answers) assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, type])
    assert.equal((await sharp(answers[0]!.rawPayload).metadata()).width, width, 'never enlarged')
  }
  assert.equal(render.mock.callCount(), wanted.length, 'each is rendered once for many requests')
  const jpeg = await ann.get(`${media.thumbnailUrl}?format=jpeg`)
  assert.deepEqual([jpeg.headers['content-type'], (await sharp(jpeg.rawPayload).metadata()).width], ['image/jpeg', 640])
  assert.deepEqual(
    (await ann.get(`${media.thumbnailUrl}?w=320`)).rawPayload,
    (await ann.get(`${media.originalUrl}?w=320`)).rawPayload,
  )
  await ann.get(`${media.originalUrl}?w=320`)
  assert.equal(render.mock.callCount(), wanted.length)
  for (const query of [
    'w=100',
    'w=0',
    'w=-320',
    'w=abc',
    'w=320.5',
    'format=gif',
    'format=svg',
    'w=320&w=640',
    'download=2',
  ]) {
    const answer = await ann.get(`${media.originalUrl}?${query}`)
    assert.equal(answer.statusCode, 400, query)
    assert.match(answer.json().field, /^(w|format|download)/)
  }
})

test('a picture too large for an encoder is refused in full size and served in smaller sizes', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const png = writePngBomb(8000, 6400)
  // A chunk whose length exceeds the file. Decoders accept it, but the metadata in it cannot be located.
  const odd = Buffer.concat([png.subarray(0, -12), Buffer.from('\x7f\0\0\0tEXt', 'latin1'), png.subarray(-12)])
  for (const [bytes, cleanType] of [
    [png, 'image/png'],
    [odd, 'image/webp'],
  ] as const) {
    const media = await ann.addPicture('large.png', bytes)
    await ann.post(`/api/media/${media.id}/public`)
    for (const format of ['webp', 'avif', 'jpeg']) {
      const answer = await visitor().get(`${media.originalUrl}?format=${format}`)
      assert.deepEqual([answer.statusCode, answer.json().code], [413, 'too-many-pixels'])
      assert.match(answer.json().message, /this one has 52\. Please specify a width\./)
    }
    assert.equal((await visitor().get(`${media.originalUrl}?w=320&format=jpeg`)).statusCode, 200)
    const clean = await visitor().get(media.originalUrl)
    assert.deepEqual([clean.statusCode, clean.headers['content-type']], [200, cleanType])
  }
})

test('a rendition of an animation is animated, and one of a rotated photograph is upright', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const gif = await ann.addPicture('dance.gif', await makeAnimation('gif'))
  const webp = await ann.get(`${gif.originalUrl}?w=320`)
  assert.equal((await sharp(webp.rawPayload, { animated: true }).metadata()).pages, 4)
  const turned = await sharp(await makeJpeg({ width: 90, height: 60 }))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const photo = await ann.addPicture('turned.jpg', turned)
  assert.deepEqual([photo.width, photo.height], [60, 90])
  const rendition = await sharp((await ann.get(`${photo.originalUrl}?format=webp`)).rawPayload).metadata()
  assert.deepEqual([rendition.width, rendition.height, rendition.orientation], [60, 90, undefined])
})

onEveryStorage('thumbnails are created again after the cache was deleted', async (context, settings) => {
  const product = await testApp(context, settings)
  const ann = await product.register()
  const media = await ann.addPicture()
  const before = (await ann.get(media.thumbnailUrl)).rawPayload
  const { blob } = await product.services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await product.services.storage.derived.remove(blob)
  await product.restart()
  const process = context.mock.method(product.services.images, 'process')
  const answers = await Promise.all([1, 2, 3].map(() => ann.get(media.thumbnailUrl)))
  for (const answer of answers) assert.deepEqual(answer.rawPayload, before)
  assert.equal(process.mock.callCount(), 1)
})
