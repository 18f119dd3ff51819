import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { mjpegAvi } from '#engines/video/testing/clips.ts'
import { productWithEndpoint, uploadWithAi } from '#features/analysis/server/analysis.fixture.ts'
import { openClips, withVideo } from '#features/media/server/videos.fixture.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg, makePng, makeWebp } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { onEveryStorage, onEveryStorageAndDatabase, storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Version } from '../contract.ts'

const clip = await openClips()
const mp4 = await clip({ audioCodec: 'aac', index: 'first' })
const avi = await clip({ ...mjpegAvi, frames: 12 })
const versionsOf = async (user: TestUser, id: number): Promise<Version[]> =>
  (await user.get(`/api/media/${id}/versions`)).json().versions
const usedBytes = async (user: TestUser) => (await user.get('/api/user/storage')).json().usedBytes
const restore = (user: TestUser, id: number, version: Version) =>
  user.post(`/api/media/${id}/versions/${version.id}/restore`)

async function passHalfAMinute({ services, settled }: TestApp) {
  await services.db.updateTable('schedules').set({ next_run_at: 0 }).where('kind', '=', 'remove-unused').execute()
  await settled()
}

onEveryStorage(
  'a replaced item keeps its id, address, words and collections and gets the new file',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register()
    const media = await ann.addPicture('logo.old.png', await makePng({ width: 120, height: 80 }))
    await ann.patch(`/api/media/${media.id}`, { aiTags: ['brand'], userDescription: 'Our logo', isFavorite: true })
    const { id: collectionId } = (await ann.post('/api/collections', { name: 'Brand' })).json()
    await ann.post(`/api/collections/${collectionId}/media/${media.id}`)
    const { publicUrl } = (await ann.post(`/api/media/${media.id}/public`)).json()

    const bytes = await makeWebp({ width: 300, height: 100 })
    const answer = await ann.replace(media.id, 'Logo 2027.webp', bytes)
    assert.equal(answer.statusCode, 200, answer.body)
    const after = answer.json()
    assert.deepEqual(
      [after.id, after.filename, after.mimeType, after.width, after.height, after.size],
      [media.id, 'logo.old.webp', 'image/webp', 300, 100, bytes.length],
    )
    const { aiTags, userDescription, isFavorite, createdAt } = after
    assert.deepEqual(
      { aiTags, userDescription, isFavorite, createdAt, publicUrl: after.publicUrl },
      { aiTags: ['brand'], userDescription: 'Our logo', isFavorite: true, createdAt: media.createdAt, publicUrl },
    )
    assert.notEqual(after.thumbhash, media.thumbhash)
    assert.deepEqual((await ann.get(after.originalUrl)).rawPayload, bytes)
    assert.equal((await ann.get(`/api/collections/${collectionId}/media`)).json().media[0].width, 300)
    assert.equal((await ann.get('/api/media?search=logo.old.webp')).json().media.length, 1, 'found by its new name')
    const old = await product.visitor().get(media.originalUrl)
    assert.deepEqual([old.statusCode, old.headers.location], [302, after.originalUrl], 'websites get the new file')
    assert.equal(await usedBytes(ann), media.size + bytes.length)
    assert.deepEqual((await storedIn(product)).temporary, [])
  },
)

onEveryStorage(
  'an earlier file is listed with its facts, shown to its owner and restored',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register('ann')
    const first = await makeJpeg({ width: 120, height: 80 })
    const media = await ann.addPicture('Photo.JPEG', first)
    const [only] = await versionsOf(ann, media.id)
    assert.deepEqual([only!.id, only!.isCurrent, only!.cause, only!.size], [null, true, 'upload', first.length])
    await ann.replace(media.id, 'b.png', await makePng({ width: 50, height: 70 }))
    await ann.patch(`/api/media/${media.id}`, { filename: 'renamed.png' })

    const [current, earlier] = (await versionsOf(ann, media.id)) as [Version, Version]
    assert.deepEqual(
      [current.isCurrent, current.cause, current.width, current.filename, current.madeBy, current.expiresAt],
      [true, 'replacement', 50, 'renamed.png', 'ann', null],
    )
    assert.deepEqual(
      [earlier.isCurrent, earlier.cause, earlier.width, earlier.filename, earlier.size, earlier.madeAt],
      [false, 'upload', 120, 'Photo.JPEG', first.length, media.createdAt],
    )
    assert.deepEqual((await ann.get(earlier.originalUrl)).rawPayload, first)
    assert.equal((await ann.get(earlier.thumbnailUrl)).headers['content-type'], 'image/webp')

    const restored = (await restore(ann, media.id, earlier)).json()
    assert.deepEqual([restored.filename, restored.width, restored.size], ['renamed.JPEG', 120, first.length])
    assert.deepEqual((await ann.get(restored.originalUrl)).rawPayload, first)
    const [back, png] = await versionsOf(ann, media.id)
    assert.deepEqual([back!.id, back!.isCurrent, back!.cause], [earlier.id, true, 'upload'])
    assert.deepEqual([png!.id, png!.isCurrent], [current.id, false])
    assert.equal((await restore(ann, media.id, earlier)).statusCode, 200, 'restoring the current file changes nothing')
    assert.equal((await restore(ann, media.id, png!)).json().width, 50, 'a restore can be undone')
  },
)

onEveryStorageAndDatabase(
  'the bytes of an earlier file count once and stay until it is deleted',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const ann = await product.register()
    const [first, second] = [await makeJpeg(), await makePng()]
    const media = await ann.addPicture('a.jpg', first)
    await ann.replace(media.id, 'a.png', second)
    await ann.replace(media.id, 'a.jpg', first)
    assert.equal((await versionsOf(ann, media.id)).length, 3)
    assert.equal(await usedBytes(ann), first.length + second.length)
    await passHalfAMinute(product)
    assert.equal((await storedIn(product)).blobs.length, 2)

    const png = (await versionsOf(ann, media.id)).find(({ mimeType }) => mimeType === 'image/png')!
    assert.equal((await ann.delete(`/api/media/${media.id}/versions/${png.id}`)).statusCode, 200)
    assert.equal(await usedBytes(ann), first.length)
    await passHalfAMinute(product)
    assert.equal((await storedIn(product)).blobs.length, 1)
    const [current] = await versionsOf(ann, media.id)
    assert.equal((await ann.delete(`/api/media/${media.id}/versions/${current!.id}`)).statusCode, 409)
    await ann.delete(`/api/media/${media.id}`)
    assert.equal(await usedBytes(ann), 0)
    await passHalfAMinute(product)
    assert.equal((await storedIn(product)).blobs.length, 0)
  },
)

test('the file address of a replaced item answers the new file at the next request', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await ann.addPicture('logo.png', await makePng({ width: 120, height: 80 }))
  await ann.post(`/api/media/${media.id}/public`)
  const { fileUrl } = (await ann.get(`/api/media/${media.id}`)).json()
  const visitor = product.visitor()
  const widthOf = async (etag?: string) => {
    const answer = await visitor.get(new URL(fileUrl).pathname, etag ? { 'if-none-match': etag } : {})
    const width = answer.statusCode === 200 ? (await sharp(answer.rawPayload).metadata()).width : undefined
    return { status: answer.statusCode, width, etag: answer.headers.etag as string }
  }
  const first = await widthOf()
  assert.deepEqual([first.status, first.width], [200, 120])
  assert.equal((await widthOf(first.etag)).status, 304)
  const replaced = await ann.replace(media.id, 'new.png', await makePng({ width: 300, height: 80 }))
  assert.equal(replaced.json().fileUrl, fileUrl)
  const second = await widthOf(first.etag)
  assert.deepEqual([second.status, second.width], [200, 300])
  const [, earlier] = (await versionsOf(ann, media.id)) as [Version, Version]
  await restore(ann, media.id, earlier)
  assert.deepEqual(await widthOf(), first)
})

test('the last ten earlier files are kept', async (context) => {
  const ann = await (await testApp(context)).register()
  const media = await ann.addPicture('a.png', await makePng({ width: 100, height: 40 }))
  const sizes: number[] = [media.size]
  for (let width = 101; width <= 112; width++) {
    const bytes = await makePng({ width, height: 40 })
    sizes.push(bytes.length)
    assert.equal((await ann.replace(media.id, 'b.png', bytes)).statusCode, 200)
  }
  const versions = await versionsOf(ann, media.id)
  assert.deepEqual(
    versions.map(({ width }) => width),
    [112, 111, 110, 109, 108, 107, 106, 105, 104, 103, 102],
  )
  assert.equal(
    await usedBytes(ann),
    sizes.slice(-11).reduce((sum, size) => sum + size, 0),
  )
})

test('all earlier files of a user are deleted at once, and not those of others', async (context) => {
  const product = await testApp(context)
  const [ann, ben] = [await product.register(), await product.register()]
  const [annas, bens] = [await ann.addPicture('a.png'), await ben.addPicture('b.png')]
  for (const [user, { id }] of [
    [ann, annas],
    [ben, bens],
  ] as const)
    await user.replace(id, 'new.png', await makePng({ width: 90, height: 30 }))
  assert.equal((await ann.delete('/api/versions')).json().message, '1 earlier version deleted.')
  assert.equal((await versionsOf(ann, annas.id)).length, 1)
  assert.equal((await versionsOf(ben, bens.id)).length, 2)
  const { size } = (await ann.get(`/api/media/${annas.id}`)).json()
  assert.equal(await usedBytes(ann), size)
})

test('another user’s item is neither replaced nor are its versions seen', async (context) => {
  const product = await testApp(context)
  const [ann, ben] = [await product.register(), await product.register()]
  const media = await ann.addPicture('a.png')
  await ann.replace(media.id, 'b.png', await makePng({ width: 90, height: 30 }))
  await ann.post(`/api/media/${media.id}/public`)
  const [, earlier] = (await versionsOf(ann, media.id)) as [Version, Version]
  assert.equal((await ben.replace(media.id, 'c.png', await makePng())).statusCode, 404)
  assert.equal((await ben.get(`/api/media/${media.id}/versions`)).statusCode, 404)
  const own = await ben.addPicture('own.png')
  assert.equal((await restore(ben, own.id, earlier)).statusCode, 404, 'a version of another item')
  for (const visitor of [ben, product.visitor()])
    assert.equal((await visitor.get(earlier.originalUrl)).statusCode, 302, 'visitors get the current file')
})

test('a file of the other kind, a broken one, none and two are refused in a sentence and change nothing', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const media = await ann.addPicture('logo.png')
  const before = (await ann.get(`/api/media/${media.id}`)).json()
  const film = await ann.replace(media.id, 'clip.mp4', mp4)
  assert.equal(film.statusCode, 400)
  assert.equal(film.json().message, '"logo.png" is an image and can be replaced only with an image.')
  const broken = await ann.replace(media.id, 'b.png', (await makePng({ width: 400, height: 300 })).subarray(0, 900))
  assert.equal(broken.statusCode, 415, broken.body)
  const text = await ann.replace(media.id, 'b.png', Buffer.from('hello, this is no picture at all'))
  assert.equal(text.statusCode, 415)
  const none = await ann.send({ method: 'POST', url: `/api/media/${media.id}/replace`, ...multipartOf([]) })
  assert.deepEqual([none.statusCode, none.json().message], [400, 'Please choose a file.'])
  const two = await ann.send({
    method: 'POST',
    url: `/api/media/${media.id}/replace`,
    ...multipartOf([await makePng(), await makePng()]),
  })
  assert.deepEqual([two.statusCode, two.json().message], [413, 'Please send one file.'])
  assert.deepEqual((await ann.get(`/api/media/${media.id}`)).json(), before)
  assert.equal((await versionsOf(ann, media.id)).length, 1)
  assert.deepEqual((await storedIn(product)).temporary, [])
})

const multipartOf = (files: Uint8Array[]) =>
  multipart(
    files.map((bytes) => ({ name: 'a.png', bytes })),
    {},
    'file',
  )

test('a replacement without room is refused, and the item stays as it is', async (context) => {
  const first = await makePng({ width: 60, height: 60 })
  const product = await testApp(context, { QUOTA_GB: String((1.5 * first.length) / 1024 ** 3) })
  const ann = await product.register()
  const media = await ann.addPicture('a.png', first)
  const answer = await ann.replace(media.id, 'b.png', await makePng({ width: 60, height: 61 }))
  assert.deepEqual([answer.statusCode, answer.json().isOverQuota], [413, true])
  assert.deepEqual((await ann.get(media.originalUrl)).rawPayload, first)
  assert.equal(await usedBytes(ann), first.length)
})

test('replacing a file with the same bytes makes no version', async (context) => {
  const ann = await (await testApp(context)).register()
  const bytes = await makePng()
  const media = await ann.addPicture('a.png', bytes)
  const answer = await ann.replace(media.id, 'b.png', bytes)
  assert.deepEqual([answer.statusCode, answer.json().filename], [200, 'a.png'])
  assert.equal((await versionsOf(ann, media.id)).length, 1)
})

onOneDatabase('a replaced video gets the poster, length and playable copy of the new one', async (context) => {
  const product = await testApp(context)
  const { ann, media } = await withVideo(product, 'clip.mp4', mp4)
  const answer = await ann.replace(media.id, 'new.avi', avi)
  assert.equal(answer.statusCode, 200, answer.body)
  await product.settled()
  const after = (await ann.get(`/api/media/${media.id}`)).json()
  assert.ok(after.sprite)
  assert.notEqual(after.thumbnailUrl, media.thumbnailUrl)
  assert.equal(after.type, 'video')
  const picture = await ann.replace(media.id, 'a.png', await makePng())
  assert.equal(picture.json().message, `"${after.filename}" is a video and can be replaced only with a video.`)
})

test('the AI describes the new file, and what the user wrote stays', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const media = await uploadWithAi(product, ann)
  assert.ok(media.aiDescription && media.aiAnalysedAt)
  await ann.patch(`/api/media/${media.id}`, { addTags: ['mine'], userDescription: 'My words' })
  await ann.replace(media.id, 'b.png', await makePng({ width: 90, height: 30 }))
  await product.settled()
  const after = (await ann.get(`/api/media/${media.id}`)).json()
  assert.equal(after.aiStatus, 'done')
  assert.ok(after.aiDescription)
  assert.ok(after.aiAnalysedAt > media.aiAnalysedAt)
  assert.equal(after.userDescription, 'My words')
  assert.ok(after.aiTags.includes('mine'))
})

test('an analysis that was under way is done for the restored file', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const media = await ann.addPicture('a.png', await makePng({ width: 200, height: 150 }))
  await ann.post(`/api/media/${media.id}/convert-webp`, { quality: 60, deleteOriginal: true })
  const [, original] = (await versionsOf(ann, media.id)) as [Version, Version]
  await product.services.db.updateTable('media').set({ ai_status: 'waiting' }).where('id', '=', media.id).execute()
  await restore(ann, media.id, original)
  await product.settled()
  assert.equal((await ann.get(`/api/media/${media.id}`)).json().aiStatus, 'done')
})

test('without an analysis no AI reads the new file', async (context) => {
  const { product } = await productWithEndpoint(context, 'good')
  const ann = await product.register()
  const media = await ann.addPicture('a.png')
  await ann.replace(media.id, 'b.png', await makePng({ width: 90, height: 30 }))
  await product.settled()
  const after = (await ann.get(`/api/media/${media.id}`)).json()
  assert.deepEqual([after.aiStatus, after.aiDescription], ['none', null])
})

test('versions are in a backup and come back with a restore', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const first = await makeJpeg()
  const media = await ann.addPicture('a.jpg', first)
  await ann.replace(media.id, 'b.png', await makePng())
  const used = await usedBytes(ann)
  const bytes = (await ann.get('/api/admin/backup/download')).rawPayload

  const elsewhere = await testApp(context)
  const ben = await elsewhere.register()
  const upload = multipart([{ name: 'backup.zip', bytes }], {}, 'backup')
  const uploaded = await ben.send({ method: 'POST', url: '/api/admin/backup/upload', ...upload })
  assert.equal(uploaded.statusCode, 200, uploaded.body)
  const there = elsewhere.visitor()
  const { username } = (await ann.get('/api/user')).json()
  await there.post('/api/login', { username, password: 'correct horse' })
  const [current, earlier] = (await versionsOf(there, media.id)) as [Version, Version]
  assert.deepEqual([current.mimeType, earlier.mimeType], ['image/png', 'image/jpeg'])
  assert.deepEqual((await there.get(earlier.originalUrl)).rawPayload, first)
  assert.equal(await usedBytes(there), used)
  assert.equal((await restore(there, media.id, earlier)).json().mimeType, 'image/jpeg')
})
