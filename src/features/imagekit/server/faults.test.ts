import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageFull } from '#platform/errors.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { until } from '#tests/support/until.ts'
import { shortTimeout, withImageKit } from './imagekit.fixture.ts'
import { migrationKind } from './migration.ts'

const never = () => new Promise<void>(() => {})

test('a copy that does not match does not count, and the next migration repeats it', async (context) => {
  const { imageKit, admin, migrate } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  imageKit.behavior.corruptsBytes = true
  const failed = await migrate()
  assert.deepEqual([failed.migrated, failed.failed, failed.copies], [0, 1, 0])
  assert.match(failed.errors[0], /^a\.jpg: The copy at ImageKit does not match/)
  imageKit.resetBehavior()
  const done = await migrate()
  assert.deepEqual([done.migrated, done.copies, imageKit.files.size], [1, 1, 1])
})

test('a temporary failure is retried, and a rejected key is reported', async (context) => {
  const { imageKit, admin, migrate } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  imageKit.behavior.failures = 1
  assert.equal((await migrate()).migrated, 1)
  await admin.addPicture('b.jpg')
  Object.assign(imageKit.behavior, { failures: 1, failWith: 403 })
  const { failed, errors } = await migrate()
  assert.equal(failed, 1)
  assert.match(errors[0], /check IMAGEKIT_PRIVATE_KEY/)
})

onOneDatabase('moving back stops when the disk is full and closes its connections', async (context) => {
  const { imageKit, product, admin, migrate, free, moveBack } = await withImageKit(context)
  for (let count = 0; count < 3; count++) await admin.addPicture(`${count}.jpg`)
  await admin.post(`/api/media/${(await admin.addPicture('shared.jpg')).id}/public`)
  await migrate()
  await free()
  const { storage } = product.services
  const opened = context.mock.method(storage, 'openRemote')
  const receiving = context.mock.method(storage.primary, 'receive', async () => {
    throw storageFull()
  })
  // Removing files at ImageKit fails meanwhile as well.
  Object.assign(imageKit.behavior, { failures: 1000, failWith: 403 })
  const given = await moveBack()
  imageKit.resetBehavior()
  assert.deepEqual([given.failed, given.migrated, given.onlyThere], [3, 0, 4])
  assert.match(given.errors.at(-1), /^Stopped because the disk is full\. Start again/)
  const streams = await Promise.all(opened.mock.calls.map(async ({ result }) => (await result!).stream))
  assert.deepEqual(
    streams.map(({ destroyed }) => destroyed),
    [true, true, true],
  )
  receiving.mock.restore()
  assert.equal((await moveBack()).migrated, 4)
  assert.equal(imageKit.files.size, 0, 'public copies are removed as well')
})

test('a migration stops when ImageKit is unreachable instead of trying every file', async (context) => {
  const { imageKit, admin, migrate } = await withImageKit(context)
  for (let count = 0; count < 8; count++) await admin.addPicture(`${count}.jpg`)
  const fail = (failures: number) => Object.assign(imageKit.behavior, { failures, failWith: 403 })
  imageKit.behavior.onUpload = async () => void fail(1)
  fail(1)
  const uneven = await migrate()
  assert.deepEqual([uneven.failed, uneven.migrated], [4, 4], 'every other file succeeded')
  fail(1000)
  const given = await migrate()
  assert.deepEqual([given.failed, given.isRunning], [3, false])
  assert.match(given.errors.at(-1), /Start again to continue/)
  imageKit.resetBehavior()
  const done = await migrate()
  assert.deepEqual([done.migrated, done.failed, done.copies], [4, 0, 8])
})

test('a stalled upload or download is reported, does not count as a copy, and leaves a single file after a retry', async (context) => {
  const { imageKit, product, admin, migrate } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  await product.restart(shortTimeout)
  const sentence = ['a.jpg: ImageKit is not responding. Please try again later.']
  imageKit.behavior.onStored = never
  assert.deepEqual((await migrate()).errors, sentence)
  await until('the file has arrived, though the response is missing', () => imageKit.files.size === 1)
  imageKit.resetBehavior()
  imageKit.behavior.onDeliver = never
  const unread = await migrate()
  assert.deepEqual([unread.copies, unread.errors], [0, sentence])
  imageKit.resetBehavior()
  await product.restart()
  const done = await migrate()
  assert.deepEqual([done.migrated, done.copies, imageKit.files.size], [1, 1, 1])
})

test('an upload that is retried after a lost response creates no second file', async (context) => {
  const { imageKit, admin, migrate } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  imageKit.behavior.lostUploadResponses = 1
  assert.equal((await migrate()).migrated, 1)
  assert.deepEqual([imageKit.behavior.uploads, imageKit.files.size], [2, 1])
})

test('two concurrent requests share one migration', async (context) => {
  const { imageKit, admin, migrate } = await withImageKit(context)
  for (const name of ['a.jpg', 'b.jpg']) await admin.addPicture(name)
  const answers = await Promise.all([migrate(), migrate()])
  for (const { copies } of answers) assert.equal(copies, 2)
  assert.equal(imageKit.files.size, 2)
})

test('a migration that is requested again is left to the process that is working on it', async (context) => {
  const { imageKit, product, admin, migrate } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  const { db } = product.services
  const jobs = db.selectFrom('jobs').select('id').where('kind', '=', migrationKind)
  const sibling = await product.startSibling()
  // Either process may run the job.
  const selecting = [db, sibling.services.db].map((one) => context.mock.method(one, 'selectFrom').mock)
  const countLooks = () =>
    selecting.flatMap(({ calls }) => calls).filter(({ arguments: [table] }) => (table as string) === 'runs').length
  imageKit.behavior.onUpload = async () => {
    imageKit.behavior.onUpload = async () => {}
    const before = countLooks()
    again = migrate()
    // A waiting request polls the run.
    await until(
      'the request is waiting or a file is being sent',
      () => imageKit.behavior.uploads > 1 || countLooks() > before + 5,
    )
    assert.equal((await jobs.execute()).length, 1)
  }
  let again: ReturnType<typeof migrate> | undefined
  assert.equal((await migrate()).migrated, 1)
  assert.deepEqual([(await again)?.copies, imageKit.behavior.uploads], [1, 1])
})

test('a migration continues after a restart', async (context) => {
  const { imageKit, product, admin } = await withImageKit(context)
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await admin.addPicture(name)
  const begun = Promise.withResolvers<void>()
  const stopping = Promise.withResolvers<void>()
  imageKit.behavior.onStored = async () => {
    if (imageKit.behavior.uploads < 2) return
    begun.resolve()
    await stopping.promise
  }
  const asked = admin.post('/api/admin/migrate-to-imagekit').catch(() => null)
  await begun.promise
  const restarted = product.restart()
  stopping.resolve()
  await restarted
  await product.settled()
  await asked
  const { copies, isRunning } = (await admin.get('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([copies, isRunning, imageKit.files.size], [3, false, 3])
})
