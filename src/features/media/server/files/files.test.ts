import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeJpeg, makePhoto, makePng } from '#tests/support/pictures.ts'
import { onEveryStorage } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'

onEveryStorage('the owner gets the exact bytes, cached privately for a year', async (context, settings) => {
  const { register } = await testApp(context, settings)
  const ann = await register()
  const bytes = await makePhoto()
  const media = await ann.addPicture('photo.jpg', bytes)
  const file = await ann.get(media.originalUrl)
  assert.equal(file.statusCode, 200)
  assert.deepEqual(file.rawPayload, bytes)
  const blank = await ann.get(`${media.originalUrl}?w=&format=&download=`)
  assert.deepEqual(blank.rawPayload, bytes, 'empty parameters are ignored')
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
})

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
    assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0], 'only GET supports ranges')
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

onEveryStorage('HEAD and GET give the same status for a file missing from the storage', async (context, settings) => {
  const { register, services } = await testApp(context, settings)
  const ann = await register()
  const { id, originalUrl } = await ann.addPicture('photo.jpg')
  const { blob } = await services.db.selectFrom('media').select('blob').where('id', '=', id).executeTakeFirstOrThrow()
  const ask = async (method: 'GET' | 'HEAD') => (await ann.send({ method, url: originalUrl })).statusCode
  assert.deepEqual([await ask('GET'), await ask('HEAD')], [200, 200])
  await services.storage.remove(blob)
  assert.deepEqual([await ask('GET'), await ask('HEAD')], [404, 404])
})

onEveryStorage('range requests are supported', async (context, settings) => {
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
    assert.match(answer.json().message, /beyond the end of the file/)
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

test('files are served with their names, which may contain any characters', async (context) => {
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
  assert.equal((await ann.get(long.originalUrl)).statusCode, 200, 'for an address of any length')
  const renamed = (await ann.patch(`/api/media/${media.id}`, { filename: 'a/b;c\\"d.jpg' })).json()
  assert.match(String((await ann.get(renamed.originalUrl)).headers['content-disposition']), /^inline; filename=/)
  assert.equal((await ann.get(media.originalUrl)).statusCode, 200, 'the address of the old name still works')
})

test('a file whose name has no extension is saved with one, also in another format', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const { id } = await ann.addPicture('beach.jpg')
  const saved = async (filename: string, wish = '') => {
    const media = (await ann.patch(`/api/media/${id}`, { filename })).json()
    assert.equal(media.filename, filename, "the item's name is unchanged")
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

test('error responses for files are not cached for a year', async (context) => {
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
  assert.equal((await app.inject({ method: 'POST', url: media.originalUrl })).statusCode, 405)
})
