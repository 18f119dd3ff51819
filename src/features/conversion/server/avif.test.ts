import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { withPublicPicture } from '#features/delivery/server/delivery.fixture.ts'
import { makeJpeg, makePhoto, makePng, picture } from '#tests/support/pictures.ts'
import { testApp } from '#tests/support/test-app.ts'

// Uploads are read without this decoder, which is blocked in this process.
sharp.unblock({ operation: ['VipsForeignLoadHeifBuffer'] })

const formatOf = async (bytes: Buffer) => {
  const { format, compression, width, height } = await sharp(bytes).metadata()
  return { format: compression ?? format, width, height }
}

/** A public AVIF of 600 x 400 pixels that replaced a PNG. */
async function withAvif(context: TestContext) {
  const delivered = await withPublicPicture(context, {
    name: 'cat.png',
    bytes: await makePng({ width: 600, height: 400 }),
  })
  const { ann, id } = delivered
  const answer = await ann.post(`/api/media/${id}/convert-webp`, { format: 'avif', quality: 60, deleteOriginal: true })
  assert.equal(answer.statusCode, 200, answer.body)
  return { ...delivered, media: answer.json().media, message: answer.json().message as string }
}

test('an image becomes an AVIF in its place, and undo gives the PNG back', async (context) => {
  const { ann, id, media, message } = await withAvif(context)
  assert.deepEqual([media.id, media.filename, media.mimeType, media.width], [id, 'cat.avif', 'image/avif', 600])
  assert.match(message, /^Replaced with an AVIF: /)
  const file = await ann.get(media.originalUrl)
  assert.equal(file.headers['content-type'], 'image/avif')
  assert.deepEqual(await formatOf(file.rawPayload), { format: 'av1', width: 600, height: 400 })
  const [change] = (await ann.get('/api/history')).json().changes
  await ann.post(`/api/history/${change.id}/undo`)
  assert.equal((await ann.get(`/api/media/${id}`)).json().filename, 'cat.png')
})

test('many images become AVIF and smaller at once, as copies that keep the camera data', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const photo = await ann.addPicture('photo.jpg', await makePhoto())
  const large = await ann.addPicture('large.jpg', await makeJpeg({ width: 800, height: 400 }))
  const body = { mediaIds: [photo.id, large.id], format: 'avif', longestSide: 80, quality: 50 }
  const { message } = (await ann.post('/api/media/bulk-convert-webp', body)).json()
  assert.match(message, /^2 AVIF copies added/)
  const listed = (await ann.get('/api/media')).json().media as { id: number; filename: string; width: number }[]
  const copies = listed.filter(({ filename }) => filename.endsWith('.avif'))
  assert.deepEqual(copies.map(({ width }) => width).sort(), [80, 80])
  const copy = copies.find(({ filename }) => filename === 'photo.avif')!
  const camera = (await ann.get(`/api/media/${photo.id}`)).json().exif
  assert.ok(camera.camera)
  assert.deepEqual((await ann.get(`/api/media/${copy.id}`)).json().exif, camera)
})

test('the thumbnail of an AVIF is made again after the derived files were deleted', async (context) => {
  const { product, ann, media } = await withAvif(context)
  const { blob } = await product.services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await product.services.storage.derived.remove(blob)
  await product.restart()
  const thumbnail = await ann.get(media.thumbnailUrl)
  assert.equal(thumbnail.statusCode, 200)
  assert.equal((await formatOf(thumbnail.rawPayload)).format, 'webp')
})

test('an AVIF is cropped and stays an AVIF', async (context) => {
  const { ann, id } = await withAvif(context)
  const edit = { crop: { left: 100, top: 0, width: 300, height: 200 } }
  const answer = await ann.post(`/api/media/${id}/edit`, edit)
  assert.equal(answer.statusCode, 200, answer.body)
  const file = await ann.get(answer.json().originalUrl)
  assert.deepEqual(await formatOf(file.rawPayload), { format: 'av1', width: 300, height: 200 })
})

test('websites get an AVIF as it is, and other formats of it', async (context) => {
  const { ann, media, visitor, address } = await withAvif(context)
  const whole = await visitor.get(address)
  assert.equal(whole.headers['content-type'], 'image/avif')
  assert.deepEqual(whole.rawPayload, (await ann.get(media.originalUrl)).rawPayload)
  const expected: [ending: string, accept: string, type: string][] = [
    ['.webp?w=320', '*/*', 'image/webp'],
    ['.jpg', '*/*', 'image/jpeg'],
    ['?w=320&format=auto', 'image/avif,image/webp', 'image/avif'],
    ['?w=320&format=auto', 'image/webp', 'image/webp'],
    ['?w=320&format=auto', '*/*', 'image/jpeg'],
  ]
  for (const [ending, accept, type] of expected) {
    const answer = await visitor.get(address + ending, { accept })
    assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, type], ending + accept)
  }
})

test('the preview of an AVIF shows its real bytes and size, to its owner only', async (context) => {
  const { ann, visitor, id } = await withPublicPicture(context)
  const preview = (await ann.get(`/api/media/${id}/webp-preview?quality=60&format=avif`)).json()
  const file = await ann.get(preview.url)
  assert.deepEqual([file.headers['content-type'], file.rawPayload.length], ['image/avif', preview.size])
  assert.deepEqual(await formatOf(file.rawPayload), { format: 'av1', width: 1200, height: 900 })
  assert.equal((await visitor.get(preview.url)).statusCode, 404)
})

test('an AVIF from outside is refused, also as a replacement', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const avif = await picture(64, 48).avif({ effort: 0 }).toBuffer()
  const uploaded = await ann.upload([{ name: 'a.avif', bytes: avif }])
  assert.match(uploaded.body, /Unsupported file type/)
  const { id } = await ann.addPicture()
  const replaced = await ann.replace(id, 'a.avif', avif)
  assert.equal(replaced.statusCode, 415)
  assert.match(replaced.json().message, /^Unsupported file type/)
})
