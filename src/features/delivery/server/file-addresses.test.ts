import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { openClips } from '#features/media/server/videos.fixture.ts'
import { makeAnimation, makePhoto, picture } from '#tests/support/pictures.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { pathOf, withPublicPicture } from './delivery.fixture.ts'

const makeClip = await openClips()
// The product decodes no AVIF, and blocks it in this process.
sharp.unblock({ operation: ['VipsForeignLoadHeifBuffer'] })

const facts = async (bytes: Buffer) => {
  const { format, width, height, exif, pages } = await sharp(bytes).metadata()
  return { format: format === 'heif' ? 'avif' : format, width, height, exif, pages }
}

onEveryStorage('any website gets the picture at its file address, without metadata', async (context, settings) => {
  const { address, visitor } = await withPublicPicture(context, { settings, bytes: await makePhoto() })
  const answer = await visitor.get(address, { origin: 'https://shop.example' })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(await facts(answer.rawPayload), {
    format: 'jpeg',
    width: 96,
    height: 64,
    exif: undefined,
    pages: undefined,
  })
  const { headers } = answer
  assert.equal(headers['content-type'], 'image/jpeg')
  assert.equal(headers['cache-control'], 'public, max-age=300, stale-while-revalidate=86400')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  assert.equal(headers['content-disposition'], 'inline; filename=Cat.jpg')
  assert.match(String(headers.etag), /^"[^"]+"$/)
  assert.equal(headers.vary, undefined)
})

onEveryStorage('an extension converts the picture and names its type', async (context, settings) => {
  const { address, visitor } = await withPublicPicture(context, { settings })
  for (const [extension, format, type] of [
    ['webp', 'webp', 'image/webp'],
    ['avif', 'avif', 'image/avif'],
    ['jpg', 'jpeg', 'image/jpeg'],
    ['jpeg', 'jpeg', 'image/jpeg'],
    ['png', 'png', 'image/png'],
  ] as const) {
    const answer = await visitor.get(`${address}.${extension}?w=320`)
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal(answer.headers['content-type'], type)
    const { width, height, ...found } = await facts(answer.rawPayload)
    assert.deepEqual([found.format, width, height], [format, 320, 240])
  }
})

test('a visitor may ask for every usual width, and never gets an enlarged picture', async (context) => {
  const { address, visitor } = await withPublicPicture(context)
  const widths = [320, 640, 960, 1280, 1920, 2560]
  const answers = await Promise.all(widths.map((width) => visitor.get(`${address}?w=${width}`)))
  const found = await Promise.all(answers.map(({ rawPayload }) => sharp(rawPayload).metadata()))
  assert.deepEqual(
    found.map(({ width }) => width),
    [320, 640, 960, 1200, 1200, 1200],
  )
  assert.equal(new Set(answers.slice(3).map(({ headers }) => headers.etag)).size, 1, 'one file above the full size')
})

test('format=auto answers what the browser accepts, and caches keep the answers apart', async (context) => {
  const { address, visitor } = await withPublicPicture(context)
  const ask = (accept: string) => visitor.get(`${address}?w=320&format=auto`, { accept })
  const chrome = await ask('image/avif,image/webp,*/*')
  const older = await ask('image/webp,*/*')
  const oldest = await ask('*/*')
  const types = [chrome, older, oldest].map(({ headers }) => headers['content-type'])
  assert.deepEqual(types, ['image/avif', 'image/webp', 'image/jpeg'])
  for (const { headers } of [chrome, older, oldest]) assert.match(String(headers.vary), /Accept/)
  assert.notEqual(chrome.headers.etag, older.headers.etag)
})

test('an animation stays an animation in its own format and in WebP, also with format=auto', async (context) => {
  const bytes = await makeAnimation('gif')
  const { address, visitor } = await withPublicPicture(context, { name: 'film.gif', bytes })
  assert.equal((await facts((await visitor.get(address)).rawPayload)).pages, 4)
  assert.equal((await facts((await visitor.get(`${address}.webp`)).rawPayload)).pages, 4)
  const automatic = await visitor.get(`${address}?format=auto`, { accept: 'image/avif,image/webp' })
  assert.equal(automatic.headers['content-type'], 'image/webp')
  assert.equal((await facts(automatic.rawPayload)).pages, 4)
})

test('other sizes are for the owner, and for visitors with a signed address', async (context) => {
  const { address, visitor, ann, addressesOf, product } = await withPublicPicture(context)
  const custom = `${address}.webp?w=333&h=200&fit=cover&q=60`
  const refused = await visitor.get(custom)
  assert.deepEqual([refused.statusCode, refused.json().code], [403, 'not-signed'])
  assert.equal((await (await product.register('bob')).get(custom)).statusCode, 403, 'another user is a visitor here')
  const own = await ann.get(custom)
  assert.equal(own.statusCode, 200)
  assert.equal(own.headers['cache-control'], 'private, no-cache', 'no proxy may hand it on')
  const [signed] = await addressesOf([{ format: 'webp', width: 333, height: 200, fit: 'cover', quality: 60 }])
  assert.deepEqual([signed?.width, signed?.height], [333, 200])
  const answer = await visitor.get(pathOf(signed))
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual((await facts(answer.rawPayload)).width, 333)
  assert.match(String(answer.headers['cache-control']), /^public/)
})

test('a signature fits one item, one size, one format and one owner', async (context) => {
  const { visitor, ann, addressesOf, product, address } = await withPublicPicture(context)
  const [signed] = await addressesOf([{ format: 'webp', width: 333 }])
  const [path, signature] = pathOf(signed).split('&s=') as [string, string]
  const other = await ann.addPicture()
  const { publicUrlSlug: otherSlug } = (await ann.post(`/api/media/${other.id}/public`)).json()
  const bob = await product.register('bob')
  const his = await bob.addPicture()
  const { publicUrlSlug: hisSlug } = (await bob.post(`/api/media/${his.id}/public`)).json()
  const query = `w=333&s=${signature}`
  for (const wrong of [
    `/i/${otherSlug}.webp?${query}`,
    `/i/${hisSlug}.webp?${query}`,
    `${address}.png?${query}`,
    `${address}?${query}`,
    `${path.replace('333', '334')}&s=${signature}`,
    `${path}&h=100&s=${signature}`,
    `${path}&s=${signature}x`,
    `${path}&s=%00`,
    path,
  ]) {
    const { statusCode } = await visitor.get(wrong)
    assert.ok(statusCode === 403 || statusCode === 400, `${wrong}: ${statusCode}`)
  }
  assert.equal(
    (await visitor.get(`${path}&utm_source=mail&s=${signature}`)).statusCode,
    200,
    'others may add parameters',
  )
})

test('an unchanged file is answered with 304, and HEAD has the headers of GET', async (context) => {
  const { address, visitor } = await withPublicPicture(context)
  const answer = await visitor.get(`${address}.webp?w=640`)
  const known = await visitor.get(`${address}.webp?w=640`, { 'if-none-match': String(answer.headers.etag) })
  assert.deepEqual([known.statusCode, known.body], [304, ''])
  assert.equal(known.headers['cache-control'], answer.headers['cache-control'])
  const head = await visitor.send({ method: 'HEAD', url: `${address}.webp?w=640` })
  assert.deepEqual([head.statusCode, head.body], [200, ''])
  assert.equal(head.headers['content-length'], String(answer.rawPayload.length))
  const preflight = await visitor.send({ method: 'OPTIONS', url: address })
  assert.deepEqual([preflight.statusCode, preflight.headers['access-control-allow-origin']], [204, '*'])
})

test('a range of a resized picture is a part of the same bytes', async (context) => {
  const { address, visitor } = await withPublicPicture(context)
  const whole = await visitor.get(`${address}.webp?w=640`)
  const part = await visitor.get(`${address}.webp?w=640`, { range: 'bytes=4-11' })
  assert.deepEqual([part.statusCode, part.rawPayload], [206, whole.rawPayload.subarray(4, 12)])
  const beyond = await visitor.get(`${address}.webp?w=640`, { range: 'bytes=99999999-' })
  assert.deepEqual([beyond.statusCode, beyond.headers['content-range']], [416, `bytes */${whole.rawPayload.length}`])
})

test('a renamed address leads to the new one with its query, and a signed address still works', async (context) => {
  const { id, ann, visitor, address, addressesOf } = await withPublicPicture(context)
  const [signed] = await addressesOf([{ format: 'webp', width: 333 }])
  await ann.patch(`/api/media/${id}/public-url`, { publicUrlSlug: 'new-address' })
  const moved = await visitor.get(`${address}.webp?w=640`)
  assert.deepEqual([moved.statusCode, moved.headers.location], [301, '/i/new-address.webp?w=640'])
  assert.equal(moved.headers['access-control-allow-origin'], '*')
  const old = await visitor.get(pathOf(signed))
  assert.equal(old.statusCode, 301)
  assert.equal((await visitor.get(String(old.headers.location))).statusCode, 200)
})

test('a renamed address with an extension that no file has is not found', async (context) => {
  const { id, ann, visitor, address } = await withPublicPicture(context)
  await ann.patch(`/api/media/${id}/public-url`, { publicUrlSlug: 'new-address' })
  for (const extension of ['%0Ax', '%E2%82%AC', 'a%2Fb'])
    assert.equal((await visitor.get(`${address}.${extension}`)).statusCode, 404, extension)
})

test('a file address answers 404 from the moment that its item is private, trashed or deleted', async (context) => {
  const { id, ann, visitor, address } = await withPublicPicture(context)
  const addresses = [address, `${address}.webp?w=320`, `${address}?p=thumb`]
  const statuses = () => Promise.all(addresses.map(async (url) => (await visitor.get(url)).statusCode))
  const etag = String((await visitor.get(address)).headers.etag)
  assert.deepEqual(await statuses(), [200, 200, 200])
  await ann.post('/api/media/bulk-trash', { mediaIds: [id] })
  assert.deepEqual(await statuses(), [404, 404, 404])
  assert.equal((await ann.get(`/api/media/${id}`)).json().fileUrl, null)
  await ann.post('/api/media/bulk-restore', { mediaIds: [id] })
  assert.deepEqual(await statuses(), [200, 200, 200])
  await ann.delete(`/api/media/${id}/public`)
  assert.deepEqual(await statuses(), [404, 404, 404])
  assert.equal((await visitor.get(address, { 'if-none-match': etag })).statusCode, 404)
  assert.equal((await ann.get(address)).statusCode, 404, 'the owner uses the address that websites use')
  await ann.delete(`/api/media/${id}`)
  assert.deepEqual(await statuses(), [404, 404, 404])
})

test('an item that is public only in a collection has no file address', async (context) => {
  const { id, ann, visitor, address } = await withPublicPicture(context)
  const collection = (await ann.post('/api/collections', { name: 'Protected' })).json()
  await ann.post(`/api/collections/${collection.id}/media/${id}`)
  await ann.patch(`/api/collections/${collection.id}/sharing`, { password: 'open sesame' })
  await ann.patch(`/api/collections/${collection.id}/visibility`, { isPublic: true })
  await ann.delete(`/api/media/${id}/public`)
  assert.equal((await visitor.get(address)).statusCode, 404)
  assert.equal((await ann.get(`/api/media/${id}`)).json().fileUrl, null)
})

test('a crop follows the focal point of its item', async (context) => {
  const split = await sharp(await picture(400, 100).png().toBuffer())
    .composite([
      { input: { create: { width: 200, height: 100, channels: 3, background: '#ff0000' } }, left: 0, top: 0 },
    ])
    .png()
    .toBuffer()
  const { id, ann, visitor, address } = await withPublicPicture(context, { name: 'split.png', bytes: split })
  const cornerOf = async () => {
    const answer = await visitor.get(`${address}.png?p=thumb`)
    const { data, info } = await sharp(answer.rawPayload).raw().toBuffer({ resolveWithObject: true })
    return { etag: answer.headers.etag, size: [info.width, info.height], isRed: data[0] === 255 && data[1] === 0 }
  }
  await ann.patch(`/api/media/${id}`, { focalPoint: { x: 0, y: 0.5 } })
  const left = await cornerOf()
  await ann.patch(`/api/media/${id}`, { focalPoint: { x: 1, y: 0.5 } })
  const right = await cornerOf()
  assert.deepEqual([left.size, left.isRed, right.isRed], [[100, 100], true, false])
  assert.notEqual(left.etag, right.etag)
})

test('a video is delivered as its playable file, and its poster as a picture', async (context) => {
  const bytes = await makeClip({ index: 'first' })
  const { address, visitor, product } = await withPublicPicture(context, { name: 'clip.mp4', bytes })
  await product.settled()
  const video = await visitor.get(address)
  assert.equal(video.statusCode, 200, video.body)
  assert.equal(video.headers['content-type'], 'video/mp4')
  const part = await visitor.get(`${address}.mp4`, { range: 'bytes=0-99' })
  assert.deepEqual([part.statusCode, part.rawPayload], [206, video.rawPayload.subarray(0, 100)])
  for (const [ending, format] of [
    ['.jpg', 'jpeg'],
    ['.webp?w=320', 'webp'],
    ['.jpg?p=thumb', 'jpeg'],
  ] as const) {
    const poster = await visitor.get(address + ending)
    assert.equal(poster.statusCode, 200, poster.body)
    assert.equal((await facts(poster.rawPayload)).format, format)
  }
})

test('items name their file address while they are public', async (context) => {
  const { id, ann, slug } = await withPublicPicture(context, { settings: { PUBLIC_URL: 'https://media.example' } })
  const listed = (await ann.get('/api/media')).json().media
  assert.equal(listed[0].fileUrl, `https://media.example/i/${slug}`)
  assert.equal((await ann.get(`/api/media/${id}`)).json().fileUrl, `https://media.example/i/${slug}`)
})
