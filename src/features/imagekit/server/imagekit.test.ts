import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startFakeImageKit } from '#tests/support/fake-imagekit.ts'
import { testApp } from '#tests/support/test-app.ts'

async function withImageKit(context: TestContext) {
  const imageKit = await startFakeImageKit(context)
  const product = await testApp(context, imageKit.settings)
  const admin = await product.register()
  return { imageKit, product, admin }
}

test('without settings the calls name the settings', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const picture = await admin.addPicture()
  for (const answer of [
    await admin.post('/api/admin/migrate-to-imagekit'),
    await admin.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'new.jpg' }),
  ]) {
    assert.equal(answer.statusCode, 503)
    assert.match(answer.json().message, /IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT/)
  }
  assert.equal((await admin.get('/api/admin/migrate-to-imagekit')).json().isConfigured, false)
})

test('all files are copied once; what is not public becomes a private file behind a signed address', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  const shared = await admin.addPicture('shared.jpg')
  await admin.post(`/api/media/${shared.id}/public`)
  await admin.addPicture('private holiday.jpg')
  const first = await admin.post('/api/admin/migrate-to-imagekit')
  assert.equal(first.statusCode, 200, first.body)
  assert.deepEqual([first.json().migrated, first.json().failed, first.json().errors], [2, 0, []])
  const stored = [...imageKit.files.values()].map(({ name, isPrivate }) => `${name} ${isPrivate}`)
  assert.deepEqual(stored.sort(), ['private_holiday.jpg true', 'shared.jpg false'])
  const again = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([again.migrated, again.copies, imageKit.moods.uploads], [0, 2, 2])
})

test('a copy that is not the same does not count, and the next run takes it up', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  imageKit.moods.spoilsBytes = true
  const failed = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([failed.migrated, failed.failed, failed.copies], [0, 1, 0])
  assert.match(failed.errors[0], /^a\.jpg: The copy at ImageKit is not the same/)
  imageKit.moods.spoilsBytes = false
  const done = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([done.migrated, done.copies, imageKit.files.size], [1, 1, 1])
})

test('a passing failure is tried again, a refused key is told', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  imageKit.moods.failures = 1
  assert.equal((await admin.post('/api/admin/migrate-to-imagekit')).json().migrated, 1)
  await admin.addPicture('b.jpg')
  Object.assign(imageKit.moods, { failures: 1, failWith: 403 })
  const { failed, errors } = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.equal(failed, 1)
  assert.match(errors[0], /check IMAGEKIT_PRIVATE_KEY/)
})

test('the copying stops when asked and goes on where it was', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await admin.addPicture(name)
  imageKit.moods.onUpload = async () => {
    imageKit.moods.onUpload = async () => {}
    await admin.post('/api/admin/migrate-to-imagekit/stop')
  }
  const stopped = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([stopped.migrated, stopped.isRunning, imageKit.files.size], [1, false, 1])
  const done = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([done.migrated, done.copies, imageKit.files.size], [2, 3, 3])
})

test('a synced name is the same there and here, and the old address goes on answering', async (context) => {
  const { imageKit, product, admin } = await withImageKit(context)
  const picture = await admin.addPicture('old.jpg')
  const first = (await admin.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'new.jpg' })).json()
  assert.deepEqual([first.oldName, first.newName, first.warning], ['old.jpg', 'new.jpg', false])
  assert.equal((await fetch(first.newUrl)).status, 200, 'the signed address answers')
  assert.equal((await fetch(first.newUrl.split('?')[0])).status, 401, 'without its signature it does not')
  const second = (await admin.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'two words.jpg' })).json()
  assert.equal(second.warning, true)
  assert.match(second.newUrl, /two_words\.jpg/)
  assert.equal((await fetch(second.newUrl)).status, 200)
  assert.equal(imageKit.files.size, 1)
  assert.equal((await admin.get(picture.originalUrl)).statusCode, 200)
  assert.equal((await admin.get(`/api/media/${picture.id}`)).json().filename, 'two words.jpg')
  const stranger = await product.register()
  const foreign = await stranger.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'x.jpg' })
  assert.equal(foreign.statusCode, 404)
})

test('the way back removes the copies and keeps the files', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  const picture = await admin.addPicture('a.jpg')
  await admin.post('/api/admin/migrate-to-imagekit')
  const back = (await admin.post('/api/admin/migrate-from-imagekit')).json()
  assert.deepEqual([back.migrated, back.copies, imageKit.files.size], [1, 0, 0])
  assert.equal((await admin.get(picture.originalUrl)).statusCode, 200)
})
