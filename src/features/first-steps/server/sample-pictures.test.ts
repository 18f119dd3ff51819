import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Media } from '#features/media/contract.ts'
import { storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { sampleFiles } from './sample-files.ts'

const listItems = async (user: TestUser): Promise<Media[]> => (await user.get('/api/media')).json().media
const namesOf = (items: Media[]) => items.map(({ filename }) => filename)
const countSamples = async (user: TestUser) => (await user.get('/api/sample-pictures')).json().count

async function removeUnusedFiles({ services, settled }: TestApp) {
  await services.db.updateTable('schedules').set({ next_run_at: 0 }).where('kind', '=', 'remove-unused').execute()
  await settled()
}

test('ten sample pictures are added in their order, with their authors', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const answer = await ann.post('/api/sample-pictures')
  assert.deepEqual([answer.statusCode, answer.json()], [201, { count: 10 }], answer.body)
  const items = await listItems(ann)
  assert.deepEqual(
    namesOf(items),
    sampleFiles.map(({ filename }) => filename),
  )
  const { userDescription } = (await ann.get(`/api/media/${items[0]!.id}`)).json()
  assert.equal(userDescription, 'Photo: Aitzol Berasategi, CC BY 4.0')
})

test('sample pictures that are requested twice, even at the same time, are added once', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const ask = () => ann.post('/api/sample-pictures')
  const counts = (await Promise.all([ask(), ask()])).map((answer) => answer.json().count)
  assert.equal(Math.max(...counts), 10)
  await ask()
  assert.equal((await listItems(ann)).length, 10)
})

test('removing sample pictures leaves the items of their owner and of other users', async (context) => {
  const product = await testApp(context)
  const [ann, ben] = [await product.register(), await product.register()]
  const own = await ann.addPicture('own.jpg')
  for (const user of [ann, ben]) await user.post('/api/sample-pictures')
  assert.deepEqual((await ann.delete('/api/sample-pictures')).json(), { count: 10 })
  assert.deepEqual(
    (await listItems(ann)).map(({ id }) => id),
    [own.id],
  )
  assert.deepEqual([await countSamples(ann), await countSamples(ben)], [0, 10])
})

test('a user keeps their own upload of a file that is also a sample picture', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const bytes = await readFile(sampleFiles[0]!.path)
  await ann.upload([{ name: 'dogs.jpg', bytes }])
  await ann.post('/api/sample-pictures')
  await ann.delete('/api/sample-pictures')
  await removeUnusedFiles(product)
  const [dogs] = await listItems(ann)
  assert.equal(dogs!.filename, 'dogs.jpg')
  assert.deepEqual((await ann.get(dogs!.originalUrl)).rawPayload, bytes)
})

test('removed sample pictures leave no bytes, copies, WebP copies or trash', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  await ann.post('/api/sample-pictures')
  const [copied, converted, replaced, trashed] = (await listItems(ann)).map(({ id }) => id)
  await ann.post(`/api/media/${copied}/copy`)
  for (const [id, deleteOriginal] of [
    [converted, false],
    [replaced, true],
  ]) {
    const answer = await ann.post(`/api/media/${id}/convert-webp`, { quality: 40, deleteOriginal })
    assert.ok(answer.json().isConverted, answer.body)
  }
  await ann.post('/api/media/bulk-trash', { mediaIds: [trashed] })
  await ann.delete('/api/sample-pictures')
  await removeUnusedFiles(product)
  assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
  assert.deepEqual((await ann.get('/api/media?trashed=true')).json().media, [])
  assert.equal((await ann.get('/api/user/storage')).json().usedBytes, 0)
})

test('sample pictures count toward the quota', async (context) => {
  const product = await testApp(context, { QUOTA_GB: '0.001' })
  const ann = await product.register()
  const answer = await ann.post('/api/sample-pictures')
  assert.equal(answer.statusCode, 413, answer.body)
  await ann.delete('/api/sample-pictures')
  assert.deepEqual(await listItems(ann), [])
})
