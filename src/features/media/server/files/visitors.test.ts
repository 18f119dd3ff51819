import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { cameraExif } from '#engines/images/pictures.fixture.ts'
import { makePhoto, picture } from '#tests/support/pictures.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'

/** Traces of the camera's metadata in the bytes. */
const traces = ['Canon', 'RF50mm', '2024:05:06', 'Exif', 'GPS']
const tracesIn = (bytes: Buffer) => traces.filter((trace) => bytes.includes(trace))

onEveryStorage('a visitor receives the same picture without location, time and camera', async (context, settings) => {
  const { register, visitor } = await testApp(context, settings)
  const [ann, bob] = [await register(), await register()]
  const bytes = await makePhoto()
  assert.ok(tracesIn(bytes).length > 2)
  const media = await ann.addPicture('photo.jpg', bytes)
  await ann.post(`/api/media/${media.id}/public`)
  for (const stranger of [visitor(), bob]) {
    const file = await stranger.get(media.originalUrl)
    assert.equal(file.statusCode, 200, file.body)
    assert.deepEqual(tracesIn(file.rawPayload), [])
    assert.equal((await sharp(file.rawPayload).metadata()).exif, undefined)
    const [seen, original] = await Promise.all([file.rawPayload, bytes].map((data) => sharp(data).raw().toBuffer()))
    assert.deepEqual(seen, original, 'not encoded again')
    // A proxy revalidates soon, as a public file may have become private.
    assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable, s-maxage=300')
    assert.equal(file.headers['cross-origin-resource-policy'], 'cross-origin')
    for (const url of [media.thumbnailUrl, `${media.originalUrl}?w=640`, `${media.originalUrl}?format=jpeg`]) {
      const other = await stranger.get(url)
      assert.equal(other.statusCode, 200)
      assert.deepEqual(tracesIn(other.rawPayload), [], url)
    }
  }
  const own = await ann.get(media.originalUrl)
  assert.deepEqual(own.rawPayload, bytes, 'the owner gets the bytes as uploaded')
  assert.notEqual(own.headers.etag, (await visitor().get(media.originalUrl)).headers.etag)
  const part = await visitor().get(media.originalUrl, { range: 'bytes=0-1' })
  assert.deepEqual([part.statusCode, part.rawPayload.toString('hex')], [206, 'ffd8'])
})

test('PNG and WebP lose their metadata as well, and a cleaned file is made once', async (context) => {
  const { register, visitor, services } = await testApp(context)
  const ann = await register()
  const png = await picture(60, 40).withExif(cameraExif).png().toBuffer()
  const webp = await picture(60, 40).withExif(cameraExif).webp().toBuffer()
  for (const [name, bytes] of [
    ['a.png', png],
    ['a.webp', webp],
  ] as const) {
    const media = await ann.addPicture(name, bytes)
    await ann.post(`/api/media/${media.id}/public`)
    assert.ok(tracesIn(bytes).length > 0, name)
    const write = context.mock.method(services.storage.derived, 'write')
    const answers = await Promise.all([1, 2, 3].map(() => visitor().get(media.originalUrl)))
    for (const answer of answers) assert.deepEqual([answer.statusCode, tracesIn(answer.rawPayload)], [200, []], name)
    assert.equal(write.mock.callCount(), 1)
    write.mock.restore()
  }
})

test('a picture with words behind its pixels is encoded again for visitors, and its cleaning is tried once', async (context) => {
  const { register, visitor, services } = await testApp(context)
  const ann = await register()
  const plain = await makePhoto()
  const bytes = Buffer.concat([plain.subarray(0, -2), Buffer.from('48.8577, 2.2950'), plain.subarray(-2)])
  const media = await ann.addPicture('photo.jpg', bytes)
  await ann.post(`/api/media/${media.id}/public`)
  const clean = context.mock.method(services.cleaner, 'clean')
  for (let visit = 0; visit < 3; visit++) {
    const file = await visitor().get(media.originalUrl)
    assert.deepEqual([file.statusCode, file.headers['content-type']], [200, 'image/webp'], file.body)
    assert.ok(!file.rawPayload.includes('48.8577'))
  }
  assert.equal(clean.mock.callCount(), 1)
  assert.deepEqual((await ann.get(media.originalUrl)).rawPayload, bytes, 'the owner gets the bytes as uploaded')
})

test('visitors who request many sizes take turns with others by their address', async (context) => {
  const { app, register, services } = await testApp(context, { TRUST_PROXY: 'loopback' })
  const ann = await register()
  const media = await ann.addPicture('photo.jpg')
  await ann.post(`/api/media/${media.id}/public`)
  const run = context.mock.method(services.renditionQueue, 'run')
  for (const [address, width] of [
    ['203.0.113.9', 320],
    ['198.51.100.7', 640],
  ] as const) {
    const url = `${new URL(media.originalUrl, 'http://localhost').pathname}?w=${width}&format=jpeg`
    assert.equal((await app.inject({ url, headers: { 'x-forwarded-for': address } })).statusCode, 200)
  }
  assert.deepEqual(
    run.mock.calls.map(({ arguments: [caller] }) => caller),
    ['203.0.113.9', '198.51.100.7'],
  )
})

test('every way to make an item private takes effect at once', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  const stranger = visitor()
  const addresses = [media.originalUrl, media.thumbnailUrl, `${media.originalUrl}?w=320`]
  const statuses = () => Promise.all(addresses.map(async (url) => (await stranger.get(url)).statusCode))
  const [open, closed] = [
    [200, 200, 200],
    [404, 404, 404],
  ]
  assert.deepEqual(await statuses(), closed)
  await ann.post(`/api/media/${media.id}/public`)
  assert.deepEqual(await statuses(), open)
  await ann.delete(`/api/media/${media.id}/public`)
  assert.deepEqual(await statuses(), closed)
  const { id } = (await ann.post('/api/collections', { name: 'Shared' })).json()
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  assert.deepEqual(await statuses(), closed)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })
  assert.deepEqual(await statuses(), open)
  await ann.post('/api/media/bulk-trash', { mediaIds: [media.id] })
  assert.deepEqual(await statuses(), closed)
  await ann.post('/api/media/bulk-restore', { mediaIds: [media.id] })
  assert.deepEqual(await statuses(), open)
  await ann.delete(`/api/collections/${id}/media/${media.id}`)
  assert.deepEqual(await statuses(), closed)
  await ann.post(`/api/collections/${id}/media/${media.id}`)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  assert.deepEqual(await statuses(), closed)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })
  await ann.delete(`/api/collections/${id}`)
  assert.deepEqual(await statuses(), closed)
  const known = await stranger.get(media.originalUrl, { 'if-none-match': '*', range: 'bytes=0-1' })
  assert.equal(known.statusCode, 404, 'conditional headers give no access')
  const head = await stranger.send({ method: 'HEAD', url: media.originalUrl })
  assert.equal(head.statusCode, 404)
  await ann.post('/api/logout')
  assert.equal((await ann.get(media.originalUrl)).statusCode, 404, 'an expired session has no access')
})

test('a copy of a public item is private, though it has the same bytes', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  await ann.post(`/api/media/${media.id}/public`)
  const copy = (await ann.post(`/api/media/${media.id}/copy`)).json()
  assert.equal((await visitor().get(media.originalUrl)).statusCode, 200)
  assert.equal((await visitor().get(copy.originalUrl)).statusCode, 404)
  assert.equal((await visitor().get(copy.thumbnailUrl)).statusCode, 404)
})

test('a file that requires a password is not cached by proxies, even if another page shows the same picture to everyone', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  const share = async (options: Record<string, unknown>) => {
    const { id } = (await ann.post('/api/collections', { name: 'Shared' })).json()
    await ann.post(`/api/collections/${id}/media/${media.id}`)
    await ann.patch(`/api/collections/${id}/sharing`, options)
    return (await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })).json().publicSlug
  }
  await share({ allowsDownload: false })
  const slug = await share({ allowsDownload: true, password: 'open sesame' })
  const [stranger, friend] = [visitor(), visitor()]
  await friend.post(`/api/public/collections/${slug}/unlock`, { password: 'open sesame' })
  assert.equal((await stranger.get(media.originalUrl)).statusCode, 403)
  const original = await friend.get(media.originalUrl)
  assert.equal(original.statusCode, 200)
  assert.match(String(original.headers['cache-control']), /^private/)
  assert.equal(original.headers['cross-origin-resource-policy'], 'same-origin')
  assert.match(String((await stranger.get(media.thumbnailUrl)).headers['cache-control']), /^public/)
})
