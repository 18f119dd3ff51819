import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onEveryStorageAndDatabase, storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'

/** Runs the schedules that are due within half a minute. */
async function passHalfAMinute({ services, settled }: TestApp) {
  await services.db.updateTable('schedules').set({ next_run_at: 0 }).where('kind', '=', 'remove-unused').execute()
  await settled()
}

const blobsOf = async (product: TestApp) => (await storedIn(product)).blobs.length

/** Stops each upload after its bytes are stored and before an item points to them. */
function stopUploads(context: TestContext, { services: { storage } }: TestApp) {
  const [stored, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { write } = storage.derived
  context.mock.method(storage.derived, 'write', async (...args: Parameters<typeof write>) => {
    stored.resolve()
    await proceed.promise
    return write(...args)
  })
  return { stored: stored.promise, proceed: proceed.resolve }
}

onEveryStorageAndDatabase('the bytes of a deleted item are gone within a minute', async (context, settings) => {
  const product = await testApp(context, settings)
  const ann = await product.register()
  const [deleted, trashed] = [await ann.addPicture(), await ann.addPicture()]
  const kept = await ann.addPicture()
  await ann.delete(`/api/media/${deleted.id}`)
  await ann.post('/api/media/bulk-trash', { mediaIds: [trashed.id] })
  await passHalfAMinute(product)
  assert.equal(await blobsOf(product), 2)
  await ann.delete('/api/trash')
  await passHalfAMinute(product)
  assert.equal(await blobsOf(product), 1)
  assert.equal((await ann.get(kept.originalUrl)).statusCode, 200)
})

test('the bytes of a deleted user are gone within a minute', async (context) => {
  const product = await testApp(context)
  const [admin, ben] = [await product.register(), await product.register()]
  await ben.addPicture()
  assert.equal((await admin.delete(`/api/admin/users/${ben.id}`)).statusCode, 200)
  await passHalfAMinute(product)
  assert.equal(await blobsOf(product), 0)
})

test('the bytes of a reset library are gone within a minute', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  await admin.addPicture()
  assert.equal((await admin.post('/api/admin/database/reset')).statusCode, 200)
  await passHalfAMinute(product)
  assert.equal(await blobsOf(product), 0)
})

test('the bytes of an upload that ends after its user was deleted are gone within a minute', async (context) => {
  const product = await testApp(context)
  const [admin, ben] = [await product.register(), await product.register()]
  const { stored, proceed } = stopUploads(context, product)
  const uploading = ben.upload([{ name: 'late.jpg', bytes: await makeJpeg() }])
  await stored
  await admin.delete(`/api/admin/users/${ben.id}`)
  proceed()
  assert.equal((await uploading).statusCode, 401)
  await passHalfAMinute(product)
  assert.equal(await blobsOf(product), 0)
})

onEveryStorageAndDatabase('bytes that an upload is storing again stay', async (context, settings) => {
  const product = await testApp(context, settings)
  const ann = await product.register()
  const bytes = await makeJpeg()
  const first = await ann.addPicture('first.jpg', bytes)
  const { stored, proceed } = stopUploads(context, product)
  const uploading = ann.upload([{ name: 'again.jpg', bytes }])
  await stored
  await ann.delete(`/api/media/${first.id}`)
  await passHalfAMinute(product)
  proceed()
  const answer = await uploading
  assert.equal(answer.statusCode, 201, answer.body)
  const file = await ann.get(answer.json().media[0].originalUrl)
  assert.deepEqual([file.statusCode, file.rawPayload.equals(bytes)], [200, true])
})

test('a backup holds the file of an item that is deleted while the backup is made', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  await admin.addPicture('first.jpg')
  const { services } = product
  const { openSnapshot } = services
  context.mock.method(services, 'openSnapshot', async () => {
    const late = await admin.addPicture('late.jpg')
    const snapshot = await openSnapshot()
    await admin.delete(`/api/media/${late.id}`)
    await passHalfAMinute(product)
    return snapshot
  })
  const answer = await admin.post('/api/admin/backups/create')
  assert.equal(answer.statusCode, 201, answer.body)
  const row = await services.db.selectFrom('backups').select(['media_count', 'missing_count']).executeTakeFirst()
  assert.deepEqual(row, { media_count: 2, missing_count: 0 })
  await passHalfAMinute(product)
  assert.equal(await blobsOf(product), 1)
})
