import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { writePngBomb } from '#engines/images/pictures.fixture.ts'
import { unavailable } from '#platform/errors.ts'
import { makeAnimation, makeJpeg, makePhoto, makePng } from '#tests/support/pictures.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import { beginChange } from '#tests/support/under-way.ts'
import { until } from '#tests/support/until.ts'

onEveryStorage(
  'the owner gets the exact bytes, to be kept for a year and shown nowhere else',
  async (context, settings) => {
    const { register } = await testApp(context, settings)
    const ann = await register()
    const bytes = await makePhoto()
    const media = await ann.addPicture('photo.jpg', bytes)
    const file = await ann.get(media.originalUrl)
    assert.equal(file.statusCode, 200)
    assert.deepEqual(file.rawPayload, bytes)
    const blank = await ann.get(`${media.originalUrl}?w=&format=&download=`)
    assert.deepEqual(blank.rawPayload, bytes, 'what is left empty is not wished')
    assert.match(String(blank.headers['content-disposition']), /^inline/)
    const { headers } = file
    assert.equal(headers['cache-control'], 'private, max-age=31536000, immutable')
    assert.equal(headers['content-type'], 'image/jpeg')
    assert.equal(Number(headers['content-length']), bytes.length)
    assert.equal(headers['accept-ranges'], 'bytes')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*sandbox/)
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['content-encoding'], undefined)
    assert.equal(headers.vary?.toString().toLowerCase().includes('cookie'), true)
  },
)

onEveryStorage('a known ETag is answered with 304, HEAD without a body', async (context, settings) => {
  const { register } = await testApp(context, settings)
  const ann = await register()
  const bytes = await makeJpeg()
  const media = await ann.addPicture('photo.jpg', bytes)
  for (const url of [media.originalUrl, media.thumbnailUrl, `${media.originalUrl}?w=320`]) {
    const first = await ann.get(url)
    const etag = String(first.headers.etag)
    assert.match(etag, /^"[\w.-]+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ann.get(url, { 'if-none-match': known })
      assert.deepEqual([again.statusCode, again.rawPayload.length], [304, 0], known)
      assert.equal(again.headers.etag, etag)
    }
    assert.equal((await ann.get(url, { 'if-none-match': '"other"' })).statusCode, 200)
    const head = await ann.send({ method: 'HEAD', url, headers: { range: 'bytes=0-1' } })
    assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0], 'only GET knows ranges')
    assert.equal(Number(head.headers['content-length']), first.rawPayload.length)
    assert.equal(head.headers['content-type'], first.headers['content-type'])
  }
  const etags = await Promise.all(
    [media.originalUrl, media.thumbnailUrl, `${media.originalUrl}?w=320`].map(
      async (url) => (await ann.get(url)).headers.etag,
    ),
  )
  assert.equal(new Set(etags).size, 3, 'every form has an ETag of its own')
})

onEveryStorage('parts are sent as asked for', async (context, settings) => {
  const { register } = await testApp(context, settings)
  const ann = await register()
  const bytes = await makePng({ width: 100, height: 80 })
  const media = await ann.addPicture('photo.png', bytes)
  const size = bytes.length
  const parts: [range: string, start: number, end: number][] = [
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, size - 1],
    ['bytes=-50', size - 50, size - 1],
    [`bytes=10-${size + 1000}`, 10, size - 1],
    [`bytes=-${size + 1000}`, 0, size - 1],
    ['bytes=7-7', 7, 7],
  ]
  for (const [range, start, end] of parts) {
    const answer = await ann.get(media.originalUrl, { range })
    assert.equal(answer.statusCode, 206, range)
    assert.equal(answer.headers['content-range'], `bytes ${start}-${end}/${size}`)
    assert.equal(Number(answer.headers['content-length']), end - start + 1)
    assert.ok(answer.rawPayload.equals(bytes.subarray(start, end + 1)), range)
  }
  for (const range of ['bytes=5-2', 'lines=0-1', 'bytes=0-1,4-5', 'bytes=a-b', 'bytes=-'])
    assert.ok((await ann.get(media.originalUrl, { range })).rawPayload.equals(bytes), range)
  for (const range of [`bytes=${size}-`, 'bytes=-0', 'bytes=99999999-']) {
    const answer = await ann.get(media.originalUrl, { range })
    assert.equal(answer.statusCode, 416, range)
    assert.equal(answer.headers['content-range'], `bytes */${size}`)
    assert.match(answer.json().message, /shorter than the range/)
    assert.doesNotMatch(String(answer.headers['cache-control'] ?? ''), /immutable/)
    assert.match(String(answer.headers['content-type']), /json/)
  }
  const etag = String((await ann.get(media.originalUrl)).headers.etag)
  const withSame = await ann.get(media.originalUrl, { range: 'bytes=0-9', 'if-range': etag })
  assert.equal(withSame.statusCode, 206)
  for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT'])
    assert.equal((await ann.get(media.originalUrl, { range: 'bytes=0-9', 'if-range': other })).statusCode, 200, other)
  const thumbnail = await ann.get(media.thumbnailUrl, { range: 'bytes=0-3' })
  assert.deepEqual([thumbnail.statusCode, thumbnail.payload], [206, 'RIFF'])
})

test('files are offered under their names, whatever these are made of', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture('🏖️ "été" – 海.jpg')
  const inline = String((await ann.get(media.originalUrl)).headers['content-disposition'])
  assert.match(inline, /^inline; filename="[\x20-\x7e]+"; filename\*=UTF-8''%F0%9F%8F%96/)
  const download = String((await ann.get(`${media.originalUrl}?download=1`)).headers['content-disposition'])
  assert.match(download, /^attachment; /)
  const webp = String((await ann.get(`${media.originalUrl}?format=webp`)).headers['content-disposition'])
  assert.match(webp, /\.webp$/)
  const long = await ann.addPicture(`${'🏖️'.repeat(90)}.jpg`)
  assert.equal((await ann.get(long.originalUrl)).statusCode, 200, 'however long its address is')
  const renamed = (await ann.patch(`/api/media/${media.id}`, { filename: 'a/b;c\\"d.jpg' })).json()
  assert.match(String((await ann.get(renamed.originalUrl)).headers['content-disposition']), /^inline; filename=/)
  assert.equal((await ann.get(media.originalUrl)).statusCode, 200, 'the address of the old name still works')
})

test('a file whose name has lost its extension is saved with it, also as another format', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('beach.jpg')
  const saved = async (filename: string, wish = '') => {
    const media = (await ann.patch(`/api/media/${id}`, { filename })).json()
    assert.equal(media.filename, filename, 'the item is called as its owner wants')
    return String((await ann.get(media.originalUrl + wish)).headers['content-disposition']).replace(
      'inline; filename=',
      '',
    )
  }
  assert.equal(await saved('Beach'), 'Beach.jpg')
  assert.equal(await saved('Mr.Smith'), 'Mr.Smith.jpg')
  assert.equal(await saved('Mr.Smith', '?format=webp'), 'Mr.Smith.webp')
  assert.equal(await saved('Beach.JPEG'), 'Beach.JPEG')
})

test('what goes wrong is not kept for a year', async (context) => {
  const { register, services, app } = await testApp(context)
  const ann = await register()
  const media = await ann.addPicture()
  const blob = (await services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()).blob
  await services.storage.remove(blob)
  const missing = await ann.get(media.originalUrl)
  assert.equal(missing.statusCode, 404)
  for (const header of ['etag', 'content-disposition', 'accept-ranges'])
    assert.equal(missing.headers[header], undefined, header)
  assert.doesNotMatch(String(missing.headers['cache-control'] ?? ''), /immutable|max-age=31/)
  for (const url of [
    '/files/abc/x/y.jpg',
    '/files/1/x',
    '/files/999999/abc/y.jpg',
    `/files/${media.id}/../../etc/passwd`,
  ]) {
    const answer = await ann.get(url)
    assert.ok([400, 404].includes(answer.statusCode), `${url}: ${answer.statusCode}`)
  }
  assert.equal((await app.inject({ method: 'POST', url: media.originalUrl })).statusCode, 404)
})

test('sizes and formats that are offered are made once; others are refused', async (context) => {
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
  assert.equal(render.mock.callCount(), wanted.length, 'each made once, however many asked')
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

test('a picture too large to be encoded in its full size is refused at once, and sent in every other', async (context) => {
  const { register, visitor } = await testApp(context)
  const ann = await register()
  const png = writePngBomb(8000, 6400)
  // A chunk that says it is longer than the file: decoders do not mind, and nobody can say what else is in it.
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
      assert.match(answer.json().message, /this one has 52\. Please ask for a width\./)
    }
    assert.equal((await visitor().get(`${media.originalUrl}?w=320&format=jpeg`)).statusCode, 200)
    const clean = await visitor().get(media.originalUrl)
    assert.deepEqual([clean.statusCode, clean.headers['content-type']], [200, cleanType])
  }
})

test('a rendition of an animation moves, and one of a turned photograph stands upright', async (context) => {
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

onEveryStorage('thumbnails are made again when the cache is gone', async (context, settings) => {
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

onEveryStorage(
  'an earlier, smaller thumbnail is shown until a better one is made meanwhile',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const { storage } = product.services
    const ann = await product.register()
    const photo = await makeJpeg({ width: 1200, height: 600 })
    const media = await ann.addPicture('photo.jpg', photo)
    const { blob } = await product.services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
    const small = await sharp(photo).resize(400).webp().toBuffer()
    const makeEarlier = async () => {
      await storage.derived.remove(blob)
      await storage.derived.writeBuffer(`${blob}/thumbnail.webp`, small)
      await product.restart()
    }
    const look = async (url = media.thumbnailUrl) => {
      const { rawPayload, headers } = await ann.get(url)
      const { width, height } = await sharp(rawPayload).metadata()
      return { size: [width, height], cache: headers['cache-control'] }
    }
    await makeEarlier()
    const longChange = await beginChange(product.services.db, (transaction) =>
      transaction.updateTable('media').set({ user_description: 'x' }).execute(),
    )
    const [first] = await Promise.all([look(), look(), look()])
    assert.deepEqual(first, { size: [400, 200], cache: 'private, no-cache' })
    await longChange.end()
    const isGone = async () => (await storage.derived.stat(`${blob}/thumbnail.webp`)) === null
    await until('a better thumbnail', isGone)
    const sharper = { size: [800, 400], cache: 'private, max-age=31536000, immutable' }
    assert.deepEqual(await look(), sharper)
    assert.deepEqual(await look(media.thumbnailUrl.replace('-400', '')), sharper, 'also where its old address is known')

    await makeEarlier()
    const { jobs, db } = product.services
    const away = context.mock.method(product.services.storage, 'withLocalFile', async () => {
      throw unavailable('The storage is away.')
    })
    await db.transaction().execute(async (transaction) => {
      await jobs.enqueue(transaction, 'make-thumbnail', { blob, type: 'image' })
      await transaction.updateTable('jobs').set({ attempts: 4 }).where('kind', '=', 'make-thumbnail').execute()
    })
    await jobs.idle()
    const left = await db.selectFrom('jobs').select(['kind', 'status']).where('kind', '=', 'make-thumbnail').execute()
    assert.deepEqual(left, [], 'given up, and nobody has to dismiss it')
    away.mock.restore()
    assert.deepEqual((await look()).size, [400, 200])
    await until('asked for again', isGone)

    await makeEarlier()
    await product.services.storage.remove(blob)
    await look()
    await until('nothing better to be made', isGone)
    assert.deepEqual((await look()).size, [400, 200], 'what is gone keeps the thumbnail that it has')
  },
)
