import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#platform/server/db/tables.ts'
import { insertRun } from '#platform/server/runs/runs-store.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { withImageKit } from './imagekit.fixture.ts'
import { migrationKind } from './migration.ts'

test('without settings the ImageKit calls name the missing settings', async (context) => {
  const product = await testApp(context)
  const admin = await product.register()
  const picture = await admin.addPicture()
  for (const answer of [
    await admin.post('/api/admin/migrate-to-imagekit'),
    await admin.post('/api/admin/migrate-to-imagekit/free-local'),
    await admin.post('/api/admin/migrate-from-imagekit'),
    await admin.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'new.jpg' }),
  ]) {
    assert.equal(answer.statusCode, 503)
    assert.match(answer.json().message, /IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT/)
  }
  assert.equal((await admin.get('/api/admin/migrate-to-imagekit')).json().isConfigured, false)
  assert.equal((await admin.get(`/api/media/${picture.id}`)).json().filename, 'picture.jpg', 'nothing has changed')
})

test('every file is sent once as a private file, and a public item also gets a public copy', async (context) => {
  const { imageKit, admin, stored, migrate } = await withImageKit(context)
  const shared = await admin.addPicture('shared.jpg')
  await admin.post(`/api/media/${shared.id}/public`)
  await admin.post(`/api/media/${shared.id}/copy`)
  const holiday = await admin.addPicture('private holiday.jpg')
  const first = await admin.post('/api/admin/migrate-to-imagekit')
  assert.equal(first.statusCode, 200, first.body)
  const { migrated, failed, errors, message } = first.json()
  assert.deepEqual([migrated, failed, errors, message], [2, 0, [], '2 files were copied to ImageKit.'])
  assert.deepEqual(stored(), ['private private_holiday.jpg', 'private shared.jpg', 'public shared.jpg'])
  for (const { filePath, isPrivate } of imageKit.files.values()) {
    const answer = await fetch(`${imageKit.settings.IMAGEKIT_URL_ENDPOINT}${filePath}`)
    assert.equal(answer.status, isPrivate ? 401 : 200)
  }
  const again = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([again.migrated, again.copies, again.total, imageKit.behavior.uploads], [0, 3, 3, 3])

  await admin.post(`/api/media/${holiday.id}/public`)
  assert.deepEqual(
    [(await migrate()).migrated, imageKit.behavior.uploads],
    [1, 4],
    'items that are public now get public copies',
  )
  assert.ok(stored().includes('public private_holiday.jpg'))
  await admin.post('/api/media/bulk-trash', { mediaIds: [holiday.id] })
  const { migrated: none, copies } = await migrate()
  assert.deepEqual([none, copies], [0, 3], 'an item in the trash needs no public copy')
})

test('a migration stops on request and later continues where it stopped', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await admin.addPicture(name)
  let isRunning: unknown
  imageKit.behavior.onUpload = async () => {
    imageKit.resetBehavior()
    await admin.post('/api/admin/migrate-to-imagekit/stop')
    isRunning = (await admin.get('/api/admin/migrate-to-imagekit')).json().isRunning
  }
  const stopped = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.equal(isRunning, true, 'the migration runs until the current file is done')
  assert.deepEqual([stopped.migrated, stopped.isRunning, imageKit.files.size], [1, false, 1])
  const done = (await admin.post('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([done.migrated, done.copies, imageKit.files.size], [2, 3, 3])
})

test('starting a migration again before it has stopped continues it', async (context) => {
  const { imageKit, product, admin } = await withImageKit(context)
  const { db } = product.services
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await admin.addPicture(name)
  let again: ReturnType<typeof admin.post> | undefined
  imageKit.behavior.onUpload = async () => {
    imageKit.resetBehavior()
    await admin.post('/api/admin/migrate-to-imagekit/stop')
    again = admin.post('/api/admin/migrate-to-imagekit')
    await until('the migration was requested again', async () => {
      const run = db.selectFrom('runs').select('status').where('kind', '=', migrationKind)
      return (await run.executeTakeFirstOrThrow()).status === 'running'
    })
  }
  await admin.post('/api/admin/migrate-to-imagekit')
  assert.deepEqual([(await again)?.json().migrated, imageKit.files.size], [3, 3])
})

test('a second migration in another direction is refused while one is running', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  imageKit.behavior.onUpload = () => {
    begun.resolve()
    return go.promise
  }
  const running = admin.post('/api/admin/migrate-to-imagekit')
  await begun.promise
  const state = (await admin.get('/api/admin/migrate-to-imagekit')).json()
  assert.deepEqual([state.isRunning, state.message], [true, 'Copying to ImageKit continues.'])
  const back = await admin.post('/api/admin/migrate-from-imagekit')
  assert.equal(back.statusCode, 409)
  assert.match(back.json().message, /^Copying to ImageKit is still running/)
  go.resolve()
  assert.equal((await running).json().migrated, 1)
})

test('a migration that is given up has ended with a reason, and one without a job can be stopped', async (context) => {
  const { product, admin, migrate, imageKit } = await withImageKit(context)
  await admin.addPicture('a.jpg')
  const state = async () => (await admin.get('/api/admin/migrate-to-imagekit')).json()
  const leave = (attempts: number) =>
    product.services.db.transaction().execute(async (transaction) => {
      const { id } = await saveRunning(transaction)
      await product.services.jobs.enqueue(transaction, 'migrate-to-imagekit', { runId: id })
      await transaction.updateTable('jobs').set({ attempts }).where('kind', '=', 'migrate-to-imagekit').execute()
    })
  // The state after five processes that crashed during the run.
  await leave(5)
  await product.settled()
  const ended = await state()
  assert.deepEqual(ended.errors, ['Stopped: It failed several times. Start again to continue.'])
  assert.equal(ended.message, '0 files were copied to ImageKit. 1 failed.')
  assert.deepEqual([ended.isRunning, (await admin.post('/api/admin/migrate-from-imagekit')).statusCode], [false, 200])

  await product.restart({ IMAGEKIT_PRIVATE_KEY: '', IMAGEKIT_URL_ENDPOINT: '' })
  await leave(4)
  await product.settled()
  const keyless = await state()
  assert.equal(keyless.isRunning, false)
  assert.match(keyless.errors[0], /^Stopped: ImageKit is not configured: set IMAGEKIT_PRIVATE_KEY/)

  await saveRunning(product.services.db)
  assert.equal((await admin.post('/api/admin/migrate-to-imagekit/stop')).statusCode, 200)
  assert.equal((await state()).isRunning, false)
  await product.restart(imageKit.settings)
  assert.equal((await migrate()).migrated, 1)
})

/** Inserts a run that an earlier process left at its first file. */
async function saveRunning(db: Db) {
  await db.deleteFrom('runs').execute()
  const run = await insertRun(
    db,
    { kind: migrationKind, ownerId: null, key: 'imagekit-migration', options: { direction: 'out' } },
    [{ input: '1' }],
  )
  return run
}

test('a synced name is the same locally and at ImageKit, and the old address still works', async (context) => {
  const { imageKit, product, admin } = await withImageKit(context)
  const picture = await admin.addPicture('old.jpg')
  const sync = async (newName: string) =>
    (await admin.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName })).json()
  const first = await sync('new.jpg')
  assert.deepEqual([first.oldName, first.newName, first.warning], ['old.jpg', 'new.jpg', false])
  assert.equal((await fetch(first.newUrl)).status, 200, 'the signed address works')
  assert.equal((await fetch(first.newUrl.split('?')[0])).status, 401, 'the address does not work without its signature')
  const second = await sync('two words.jpg')
  assert.equal(second.warning, true)
  assert.match(second.newUrl, /two_words\.jpg/)
  assert.equal((await fetch(second.newUrl)).status, 200)
  assert.equal(imageKit.files.size, 1)
  assert.equal((await admin.get(picture.originalUrl)).statusCode, 200)
  assert.equal((await admin.get(`/api/media/${picture.id}`)).json().filename, 'two words.jpg')

  await admin.post(`/api/media/${picture.id}/public`)
  const open = await sync('open.jpg')
  assert.equal((await fetch(open.newUrl)).status, 200)
  assert.doesNotMatch(open.newUrl, /ik-s/, 'a public item needs no signature')
  const stranger = await product.register()
  const foreign = await stranger.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'x.jpg' })
  assert.equal(foreign.statusCode, 404)
})

test('a name that could not be changed at ImageKit is not changed locally', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  const picture = await admin.addPicture('old.jpg')
  Object.assign(imageKit.behavior, { failures: 9, failWith: 403 })
  const answer = await admin.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'new.jpg' })
  assert.equal(answer.statusCode, 502)
  assert.match(answer.json().message, /check IMAGEKIT_PRIVATE_KEY/)
  assert.equal((await admin.get(`/api/media/${picture.id}`)).json().filename, 'old.jpg')
})

test('a failed name sync does not undo a name that the user gave in the meantime', async (context) => {
  const { imageKit, admin } = await withImageKit(context)
  const picture = await admin.addPicture('old.jpg')
  imageKit.behavior.onUpload = async () => {
    await admin.patch(`/api/media/${picture.id}`, { filename: 'meanwhile.jpg' })
    Object.assign(imageKit.behavior, { corruptsBytes: true, onUpload: async () => {} })
  }
  const answer = await admin.put(`/api/media/${picture.id}/sync-imagekit-name`, { newName: 'new.jpg' })
  assert.equal(answer.statusCode, 502, answer.body)
  assert.equal((await admin.get(`/api/media/${picture.id}`)).json().filename, 'meanwhile.jpg')
})
