import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { storageFull } from '#platform/errors.ts'
import { failFileCalls, within } from '#tests/support/file-errors.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'

/** From now on the disk has no room to keep anything, until it is told otherwise. */
function fillDisk(context: TestContext, { services: { storage } }: TestApp) {
  const { receive } = storage
  const disk = { isFull: true }
  context.mock.method(storage, 'receive', async (...input: Parameters<typeof receive>) => {
    const arrival = await receive(...input)
    const commit = arrival.commit
    arrival.commit = async () => {
      if (!disk.isFull) return commit()
      await arrival.discard()
      throw Object.assign(storageFull(), { cause: new Error('ENOSPC') })
    }
    return arrival
  })
  return disk
}

test('an upload to a full disk is refused with a message, and files that fitted are kept', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const disk = fillDisk(context, product)
  const files = await Promise.all([1, 2].map(async (n) => ({ name: `${n}.jpg`, bytes: await makeJpeg() })))
  const refused = await ann.upload(files)
  assert.equal(refused.statusCode, 507)
  assert.match(refused.json().message, /disk is full/)
  assert.equal(refused.json().rejected.length, 2)
  assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
  assert.equal((await ann.get('/api/user/storage')).json().usedBytes, 0)
  disk.isFull = false
  assert.equal((await ann.upload(files)).statusCode, 201)
})

test('an upload to a read-only disk is refused with a message and works again after the repair', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const file = { name: 'a.jpg', bytes: await makeJpeg() }
  const mend = failFileCalls(context, within(join(product.directory, 'tmp')), 'EROFS')
  const refused = await ann.upload([file])
  assert.equal(refused.statusCode, 503)
  assert.match(refused.json().message, /^The disk is not writable at the moment\./)
  mend()
  assert.equal((await ann.upload([file])).statusCode, 201)
})

test('a missing file stays marked as missing when its next upload fails, and is intact after one that succeeds', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const bytes = await makeJpeg()
  await ann.addPicture('lost.jpg', bytes)
  const { storage } = product.services
  for (const sha256 of (await storedIn(product)).blobs) await storage.remove(sha256)
  const missing = async () => {
    await product.settled()
    return (await ann.get('/api/admin/system')).json().integrity.missing
  }
  await ann.post('/api/admin/integrity-check')
  assert.equal(await missing(), 1)
  const disk = fillDisk(context, product)
  assert.equal((await ann.upload([{ name: 'again.jpg', bytes }])).statusCode, 507)
  assert.equal(await missing(), 1)
  disk.isFull = false
  assert.equal((await ann.upload([{ name: 'again.jpg', bytes }])).statusCode, 201)
  assert.equal(await missing(), 0)
})

test('when one file of a batch cannot be stored, the response still lists the others', async (context) => {
  const told: { msg: string; err: { message: string } }[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void told.push(JSON.parse(line)) })
  const product = await testApp(context, {}, { log })
  const ann = await product.register()
  const { derived } = product.services.storage
  const { write } = derived
  let calls = 0
  const writing = context.mock.method(derived, 'write', (...input: Parameters<typeof write>) =>
    calls++ === 1 ? Promise.reject(new Error('EIO')) : write(...input),
  )
  const files = await Promise.all([1, 2, 3].map(async (n) => ({ name: `${n}.jpg`, bytes: await makeJpeg() })))
  const answer = await ann.upload(files)
  assert.equal(answer.statusCode, 201)
  assert.deepEqual(
    answer.json().media.map(({ filename }: { filename: string }) => filename),
    ['1.jpg', '3.jpg'],
  )
  assert.deepEqual(answer.json().rejected, [
    { filename: '2.jpg', message: 'This file could not be stored. Please try again.', code: 'not-kept' },
  ])
  assert.deepEqual((await storedIn(product)).temporary, [])
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 2)
  assert.deepEqual(
    told.map(({ msg, err }) => [msg, err.message]),
    [['uploaded file was not stored', 'EIO']],
  )
  writing.mock.mockImplementation(async () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })))
  assert.equal((await ann.upload(files)).statusCode, 507, 'when none is kept, the answer is why')
})
