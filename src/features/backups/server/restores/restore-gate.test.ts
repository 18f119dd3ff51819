import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { beginChange } from '#features/media/server/library-pause.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { countBlocked, isOnPostgres } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import { testDatabase } from '#tests/support/test-database.ts'
import { TestUser } from '#tests/support/test-user.ts'
import { insertRestore } from '../store.ts'
import { createRestoreGate, type RestoreGate } from './restore-gate.ts'

test('changes are refused while a database is imported', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const kept = await ann.addPicture('kept.jpg')
  const library = (await ann.get('/api/admin/database/download')).rawPayload
  const send = () => {
    const upload = multipart([{ name: 'database.json', bytes: library }], {}, 'database')
    return ann.send({ method: 'POST', url: '/api/admin/database/upload', ...upload })
  }
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const { storage } = product.services
  const { stat } = storage
  context.mock.method(storage, 'stat', (sha256: string) => {
    begun.resolve()
    return goOn.promise.then(() => stat(sha256))
  })
  const importing = send()
  await begun.promise
  const refused = [
    await ann.delete(`/api/media/${kept.id}`),
    await ann.post('/api/collections', { name: 'Lost' }),
    await ann.post('/api/admin/database/reset'),
    await send(),
    await product.visitor().post('/api/login', { username: 'ann', password: 'correct horse' }),
  ]
  assert.deepEqual(
    refused.map(({ statusCode }) => statusCode),
    [503, 503, 503, 503, 503],
  )
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 1, 'reads go on')
  goOn.resolve()
  assert.equal((await importing).statusCode, 200)
  assert.equal((await ann.delete(`/api/media/${kept.id}`)).statusCode, 200)
  const broken = multipart([{ name: 'database.json', bytes: Buffer.from('{') }], {}, 'database')
  assert.equal((await ann.send({ method: 'POST', url: '/api/admin/database/upload', ...broken })).statusCode, 400)
  assert.equal(
    (await ann.post('/api/collections', { name: 'After' })).statusCode,
    201,
    'a refused import does not leave the library paused',
  )
})

test('one process holds the restore gate at a time, and it stays closed in the others until released or timed out', async (context) => {
  const { db, notifications } = await testDatabase(context)
  const gates = await Promise.all([1, 2, 3].map(() => createRestoreGate(db, notifications)))
  const [first, second, third] = gates as [RestoreGate, RestoreGate, RestoreGate]
  const [held, refused] = await Promise.allSettled([first.hold(), first.hold()])
  assert.equal(refused.status, 'rejected')
  while (!third.isClosed()) await turn()
  const before = third.epoch()
  await second.announce()
  while (third.epoch() === before) await turn()
  assert.equal(third.isClosed(), true, 'a notification from another process does not open it')
  assert.ok(held.status === 'fulfilled')
  await held.value[Symbol.asyncDispose]()
  while (third.isClosed()) await turn()

  const publishing = context.mock.method(notifications, 'publish', () => Promise.reject(new Error('away')))
  await assert.rejects(first.hold(), /away/)
  publishing.mock.restore()
  assert.equal(first.isClosed(), false, 'a process that cannot notify the others does not hold it')

  await notifications.publish('restore', 'held by-a-process-that-crashes')
  while (!third.isClosed()) await turn()
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10_001 })
  assert.equal(third.isClosed(), false, 'a hold times out')
  for (const gate of gates) gate.close()
})

test('a restore gate that could not read its state from the database tries again by itself', async (context) => {
  const { db, notifications } = await testDatabase(context)
  context.mock.timers.enable({ apis: ['setInterval'] })
  const gate = await createRestoreGate(db, notifications)
  await insertRestore(db, { backupId: '20260101-000000-00000000', adminId: 1, skipsSafety: true })
  const away = context.mock.method(db, 'selectFrom', () => {
    throw new Error('The database is away')
  })
  await notifications.publish('restore', 'changed elsewhere')
  while (away.mock.callCount() === 0) await turn()
  away.mock.restore()
  context.mock.timers.tick(5000)
  while (!gate.isClosed()) await turn()
  await db.updateTable('restores').set({ running: null, state: 'failed' }).execute()
  context.mock.timers.tick(5000)
  while (gate.isClosed()) await turn()
  gate.close()
})

test('a read during a restore does not wait and sees the old library or the new one', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  await insertManyMedia(product.services.db, ann.id, 400)
  const { backup } = (await ann.post('/api/admin/backups/create')).json()
  await ann.addPicture('new.jpg')
  const countNow = async (): Promise<number> => (await ann.get('/api/media?limit=25')).json().pagination.totalCount
  const seen = new Set([await countNow()])
  let isOver = false
  const reading = (async () => {
    for (; !isOver; await turn()) seen.add(await countNow())
  })()
  await ann.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
  await product.settled()
  isOver = true
  await reading
  seen.add(await countNow())
  assert.deepEqual([...seen], [401, 400])
})

if (isOnPostgres) {
  test('a restore in one process pauses changes but not reads in every other process', async (context) => {
    const product = await testApp(context)
    const ann = await product.register()
    await ann.addPicture('kept.jpg')
    const { backup } = (await ann.post('/api/admin/backups/create')).json()
    const sibling = await product.startSibling()
    const there = new TestUser(() => sibling.app)
    for (const [name, value] of ann.cookies) there.cookies.set(name, value)
    assert.equal((await there.post('/api/collections', { name: 'Before' })).statusCode, 201)

    const goOn = Promise.withResolvers<void>()
    for (const { storage } of [product.services, sibling.services]) {
      const { stat } = storage
      context.mock.method(storage, 'stat', (sha256: string) => goOn.promise.then(() => stat(sha256)))
    }
    await ann.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
    while (!sibling.services.restoreGate.isClosed()) await turn()
    const refused = [
      await there.post('/api/collections', { name: 'Lost' }),
      await there.upload([{ name: 'lost.jpg', bytes: await makeJpeg() }]),
      await there.patch('/api/media/1', { filename: 'lost.jpg' }),
      await there.delete('/api/media/1'),
      await there.post('/api/admin/database/reset'),
      await ann.post('/api/collections', { name: 'Lost' }),
    ]
    for (const answer of refused) {
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'])
      assert.match(answer.json().message, /is being restored/)
    }
    assert.equal((await there.get('/api/media')).json().pagination.totalCount, 1, 'reads go on')
    assert.equal((await there.get('/api/admin/backups/restore-progress')).json().isRestoring, true)

    goOn.resolve()
    await Promise.all([product.settled(), sibling.services.jobs.idle()])
    while (sibling.services.restoreGate.isClosed()) await turn()
    assert.equal((await there.get('/api/admin/backups/restore-progress')).json().step, 'Complete')
    assert.deepEqual((await there.get('/api/collections')).json(), [], 'as it was when the backup was made')
    assert.equal((await there.post('/api/collections', { name: 'After' })).statusCode, 201)
  })

  test('an import in one process pauses changes in every other process until it ends', async (context) => {
    const product = await testApp(context)
    const ann = await product.register()
    const sibling = await product.startSibling()
    const there = new TestUser(() => sibling.app)
    for (const [name, value] of ann.cookies) there.cookies.set(name, value)
    const held = await product.services.restoreGate.hold()
    while (!sibling.services.restoreGate.isClosed()) await turn()
    assert.equal((await there.post('/api/collections', { name: 'Lost' })).statusCode, 503)
    await assert.rejects(sibling.services.restoreGate.hold(), { status: 503 })
    await held[Symbol.asyncDispose]()
    assert.equal((await ann.post('/api/collections', { name: 'After' })).statusCode, 201)
    while (sibling.services.restoreGate.isClosed()) await turn()
    assert.equal((await there.post('/api/collections', { name: 'There' })).statusCode, 201)
  })

  test('a transaction that locks an item and then its collection does not deadlock with a reset', async (context) => {
    const product = await testApp(context)
    const { db } = product.services
    const ann = await product.register()
    const ids = await insertManyMedia(db, ann.id, 501)
    const { id } = (await ann.post('/api/collections', { name: 'Summer' })).json()
    await ann.post(`/api/collections/${id}/media/${ids[0]}`)
    let resetting: Promise<{ statusCode: number }> | undefined
    await db.transaction().execute(async (transaction) => {
      await transaction.updateTable('media').set({ view_count: 1 }).where('id', '=', ids[500]!).execute()
      resetting = ann.post('/api/admin/database/reset')
      while (!(await countBlocked(db)));
      await transaction.updateTable('collections').set({ view_count: 1 }).where('id', '=', id).execute()
    })
    assert.equal((await resetting)?.statusCode, 200)
  })

  test('a restore begins only after a transaction that records an uploaded file has ended', async (context) => {
    const product = await testApp(context)
    const { db } = product.services
    const ann = await product.register()
    const { backup } = (await ann.post('/api/admin/backups/create')).json()
    const happened: string[] = []
    let restoring: Promise<unknown> | undefined
    const check = await beginChange(db)
    await db.transaction().execute(async (transaction) => {
      await check(transaction)
      restoring = ann
        .post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
        .then(({ statusCode }) => happened.push(`restore ${statusCode}`))
      while (happened.length === 0 && !(await countBlocked(db)));
      happened.push('recorded')
    })
    await restoring
    assert.deepEqual(happened, ['recorded', 'restore 200'])
    await product.settled()
  })
}
