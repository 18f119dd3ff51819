import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { beginUpload, listenOnPort, responseTo } from '#tests/support/live-upload.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { storedIn } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'

test('when no file is valid the response is the first refusal', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const answer = await ann.upload([
    { name: 'a.txt', bytes: Buffer.from('text') },
    { name: 'b.png', bytes: Buffer.alloc(0) },
  ])
  assert.equal(answer.statusCode, 415)
  assert.equal(answer.json().code, 'unsupported-type')
  assert.deepEqual(
    answer.json().rejected.map(({ filename }: { filename: string }) => filename),
    ['a.txt', 'b.png'],
  )
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 0)
})

test('an upload without files, with invalid options or without multipart is refused with a message', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const bytes = await makeJpeg()
  const wrong = [
    await ann.upload([]),
    await ann.post('/api/upload', { files: [] }),
    await ann.send({ method: 'POST', url: '/api/upload' }),
  ]
  for (const answer of wrong) {
    assert.equal(answer.statusCode, 400)
    assert.equal(answer.json().message, 'Please choose at least one file.')
  }
  const nameless = await ann.upload([{ name: 'a.jpg', bytes }], { files: bytes.toString('latin1') })
  assert.equal(nameless.statusCode, 400)
  assert.equal(nameless.json().message, 'files: Each file must be sent with a filename.')
  const badOption = await ann.upload([{ name: 'a.jpg', bytes }], { useCustomNaming: 'perhaps' })
  assert.equal(badOption.statusCode, 400)
  assert.equal(badOption.json().field, 'useCustomNaming')
  const { payload, headers } = multipart([{ name: 'a.jpg', bytes }])
  const cut = await ann.send({ method: 'POST', url: '/api/upload', payload: payload.subarray(0, -60), headers })
  assert.equal(cut.statusCode, 400)
  assert.match(cut.json().message, /interrupted/)
  const noBoundary = { 'content-type': 'multipart/form-data' }
  const odd = await ann.send({ method: 'POST', url: '/api/upload', payload, headers: noBoundary })
  assert.equal(odd.statusCode, 400)
  assert.match(odd.json().message, /malformed/)
  const endless = { 'content-type': `multipart/form-data; boundary=${'b'.repeat(300)}` }
  const long = await ann.send({ method: 'POST', url: '/api/upload', payload, headers: endless })
  assert.equal(long.statusCode, 400, long.body)
  assert.match(long.json().message, /malformed/)
  const stored = await storedIn(product)
  assert.deepEqual(stored, { temporary: [], blobs: [] })
})

test('a compressed upload is refused and its connection stays usable', async (context) => {
  const { app, register } = await testApp(context)
  const ann = await register()
  const address = await listenOnPort(app)
  const { payload, headers } = multipart([{ name: 'a.jpg', bytes: Buffer.alloc(3_000_000) }])
  const statuses: (number | undefined)[] = []
  for (const body of [payload, gzipSync(payload)]) {
    const upload = beginUpload(address, ann, { ...headers, 'content-encoding': 'gzip' })
    const answered = responseTo(upload)
    upload.end(body)
    statuses.push((await answered).statusCode)
  }
  assert.deepEqual(statuses, [415, 400])
})

test('more than a thousand files in one request are refused with a message', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const files = Array.from({ length: 1001 }, (_, index) => ({ name: `${index}.txt`, bytes: Buffer.from('x') }))
  const answer = await ann.upload(files)
  assert.equal(answer.statusCode, 413)
  assert.equal(answer.json().message, 'At most 1,000 files can be uploaded at once.')
  assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
})

test('only a signed-in user may upload, and only from the app’s own pages', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const { payload, headers } = multipart([{ name: 'a.jpg', bytes: await makeJpeg() }])
  const stranger = await product.visitor().send({ method: 'POST', url: '/api/upload', payload, headers })
  assert.equal(stranger.statusCode, 401)
  for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    const answer = await ann.send({ method: 'POST', url: '/api/upload', payload, headers: { ...headers, ...foreign } })
    assert.equal(answer.statusCode, 403)
  }
  assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
})
