import assert from 'node:assert/strict'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pino from 'pino'
import { maxUploadBytes } from '#features/media/limits.ts'
import { storageFull } from '#platform/errors.ts'
import { tuneGarbageCollection } from '#platform/server/memory.ts'
import { beginUpload, bodyEnd, listenOnPort, partHead, responseTo, writeTo } from '#tests/support/live-upload.ts'
import { makeJpeg, makePng } from '#tests/support/pictures.ts'
import { onEveryStorage, storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'

// Memory is measured, so this process must hold the server only.
tuneGarbageCollection()

const mebibyte = 1024 * 1024

onEveryStorage('an upload whose connection drops leaves nothing behind', async (context, settings) => {
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  const product = await testApp(context, settings, { log })
  const ann = await product.register()
  const address = await listenOnPort(product.app)
  const jpeg = await makeJpeg({ width: 300, height: 200 })
  const places = [
    async (upload: ReturnType<typeof beginUpload>) => void (await writeTo(upload, partHead('a.jpg'))),
    async (upload: ReturnType<typeof beginUpload>) => {
      await writeTo(upload, partHead('a.jpg'))
      await writeTo(upload, jpeg.subarray(0, jpeg.length / 2))
    },
    async (upload: ReturnType<typeof beginUpload>) => {
      await writeTo(upload, partHead('a.jpg'))
      await writeTo(upload, jpeg)
      await writeTo(upload, `\r\n${partHead('b.jpg')}`)
      await writeTo(upload, jpeg.subarray(0, 5000))
    },
  ]
  for (const writeSome of places) {
    const closed = nextClose(product)
    const upload = beginUpload(address, ann)
    upload.on('error', () => {})
    const isWriting = once(product.app.server, 'request')
    await writeSome(upload)
    await isWriting
    upload.destroy()
    await closed
    // The cleanup after a closed connection emits no event.
    await until('nothing is left', async () => isDeepStrictEqual(await storedIn(product), { temporary: [], blobs: [] }))
  }
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 0)
  const rows = await product.services.db.selectFrom('blobs').select('sha256').execute()
  assert.deepEqual(rows, [])
  assert.deepEqual(warnings, [], 'an administrator could do nothing about it')
})

/** Sends a file of at least so many bytes, piece by piece; the memory must not grow by them. */
async function sendLarge(context: TestContext, { name, head, bytes }: { name: string; head: Buffer; bytes: number }) {
  const product = await testApp(context)
  const upload = beginUpload(await listenOnPort(product.app), await product.register())
  const answered = responseTo(upload)
  const begin = process.memoryUsage().rss
  let most = begin
  await writeTo(upload, partHead(name))
  await writeTo(upload, head)
  // The test reuses one buffer, so any growth is the server's.
  const chunk = randomFillSync(Buffer.alloc(mebibyte))
  for (let sent = head.length; sent <= bytes; sent += chunk.length) {
    await writeTo(upload, chunk)
    most = Math.max(most, process.memoryUsage().rss)
  }
  upload.end(bodyEnd)
  const answer = await answered
  assert.ok(most - begin < 150 * mebibyte, `Expected less than 150 MiB, received ${(most - begin) / mebibyte}`)
  return { product, answer }
}

test('a file over 500 MB is refused with bounded memory', async (context) => {
  const huge = { name: 'huge.png', head: await makePng(), bytes: maxUploadBytes }
  const { product, answer } = await sendLarge(context, huge)
  assert.equal(answer.statusCode, 413)
  assert.equal(answer.json().message, 'The file is larger than 500 MB.')
  assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
})

test('an image of 200 MB is uploaded without being held in memory', async (context) => {
  // Bytes after the end of a JPEG are part of the file; some cameras store a video there.
  const large = { name: 'large.jpg', head: await makeJpeg(), bytes: 200 * mebibyte }
  const { product, answer } = await sendLarge(context, large)
  assert.equal(answer.statusCode, 201)
  assert.ok(answer.json().media[0].size > 200 * mebibyte)
  assert.deepEqual((await storedIn(product)).temporary, [])
})

test('a large file of another type is refused by its first bytes and the next file is still read', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const address = await listenOnPort(product.app)
  const upload = beginUpload(address, ann)
  const answered = responseTo(upload)
  await writeTo(upload, partHead('archive.zip'))
  const chunk = Buffer.alloc(mebibyte, 'PK\x03\x04')
  for (let count = 0; count < 20; count++) await writeTo(upload, chunk)
  await writeTo(upload, `\r\n${partHead('good.jpg')}`)
  await writeTo(upload, await makeJpeg())
  upload.end(bodyEnd)
  const answer = await answered
  assert.equal(answer.statusCode, 201)
  assert.equal(answer.json().rejected[0].filename, 'archive.zip')
  assert.equal(answer.json().media[0].filename, 'good.jpg')
})

test('an error during a large upload is answered before the upload has ended', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const address = await listenOnPort(product.app)
  const { storage } = product.services
  for (const [fault, status] of [
    [storageFull(), 507],
    [new Error('EIO'), 500],
  ] as const) {
    context.mock.method(storage, 'receive', async () => Promise.reject(fault), { times: 1 })
    const upload = beginUpload(address, ann)
    const answered = responseTo(upload)
    await writeTo(upload, partHead('large.jpg'))
    const chunk = randomFillSync(Buffer.alloc(mebibyte))
    for (let count = 0; count < 20; count++) await writeTo(upload, chunk)
    upload.end(bodyEnd)
    assert.equal((await answered).statusCode, status)
    upload.destroy()
  }
})

/** Resolves when the server has noticed that the next connection is gone. */
function nextClose({ app }: TestApp) {
  return new Promise<void>((resolve) => {
    app.server.once('connection', (socket) => socket.once('close', () => resolve()))
  })
}
