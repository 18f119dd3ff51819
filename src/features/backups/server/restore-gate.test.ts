import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { loadEdition, requireSameLibrary } from '#features/media/server/library-pause.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { answerTo, beginUpload, bodyEnd, goLive, partHead, writeTo } from '#tests/support/live.ts'
import { insertManyMedia } from '#tests/support/many-media.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { TestUser } from '#tests/support/test-user.ts'
import { insertRestore } from './restores-store.ts'

/** A restore of another process, of which this one has not heard yet. */
const restoreElsewhere = ({ services: { db } }: TestApp, adminId: number) =>
  insertRestore(db, { backupId: '20260101-000000-00000000', adminId, skipsSafety: true })

test('a file that was on its way when another process began a restore is refused', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const kept = await ann.addPicture('before.jpg')
  await restoreElsewhere(product, ann.id)
  const answer = await ann.upload([{ name: 'late.jpg', bytes: await makeJpeg() }])
  assert.equal(answer.statusCode, 503)
  const sentence = 'The library is being restored. Please try again in a moment.'
  assert.deepEqual([answer.json().message, answer.headers['retry-after']], [sentence, '5'])
  const converted = await ann.post(`/api/media/${kept.id}/convert-webp`, { quality: 30, deleteOriginal: true })
  assert.deepEqual([converted.statusCode, converted.json().message], [503, sentence])
  assert.equal((await ann.get('/api/media')).json().pagination.totalCount, 1)
  assert.equal((await ann.get(`/api/media/${kept.id}`)).json().mimeType, 'image/jpeg')
  assert.deepEqual((await storedIn(product)).temporary, [])

  await product.services.db.updateTable('restores').set({ running: null, state: 'failed' }).execute()
  await ann.addPicture('after.jpg')
})

test('a file that outlives the library it was sent to is refused, whoever has its number now', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  const address = await goLive(product.app)
  const jpeg = await makeJpeg()
  const library = (await ann.get('/api/admin/database/download')).body
  const [account] = JSON.parse(library).tables.users
  const { backup } = (await ann.post('/api/admin/backups/create')).json()
  /** Another installation: there, somebody else has the number of whoever is registered next. */
  const elsewhere = (id: number) => {
    const carl = { ...account, id, username: 'Carl', username_key: 'carl', email: 'c@x.org', email_key: 'c@x.org' }
    const bytes = Buffer.from(library.replace('"users":[', `"users":[${JSON.stringify(carl)},`))
    return multipart([{ name: 'database.json', bytes }], {}, 'database')
  }
  const changes = [
    (id: number) => ann.send({ method: 'POST', url: '/api/admin/database/upload', ...elsewhere(id) }),
    () => ann.post('/api/admin/database/reset'),
    () => ann.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true }),
  ]
  for (const change of changes) {
    const ben = await product.register()
    const upload = beginUpload(address, ben)
    const answered = answerTo(upload)
    await writeTo(upload, partHead('private.jpg'))
    await writeTo(upload, jpeg.subarray(0, jpeg.length / 2))
    while ((await storedIn(product)).temporary.length === 0) await turn()
    assert.equal((await change(ben.id)).statusCode, 200)
    await product.settled()
    upload.write(jpeg.subarray(jpeg.length / 2))
    upload.end(bodyEnd)
    const answer = await answered
    assert.equal(answer.statusCode, 409, JSON.stringify(answer.json()))
    assert.match(answer.json().message, /^The library was replaced while this file was on its way/)
    assert.equal((await product.services.db.selectFrom('media').select('id').execute()).length, 0)
    assert.deepEqual((await storedIn(product)).temporary, [])
  }
  await ann.addPicture('after.jpg')
})

test('whoever reads during a restore sees the old library or the new one, and is not kept waiting', async (context) => {
  const product = await testApp(context)
  const ann = await product.register()
  await insertManyMedia(product.services.db, ann.id, 400)
  const { backup } = (await ann.post('/api/admin/backups/create')).json()
  await ann.addPicture('new.jpg')
  const seen = new Set<number>()
  let isOver = false
  const reading = (async () => {
    for (; !isOver; await delay(5)) seen.add((await ann.get('/api/media?limit=25')).json().pagination.totalCount)
  })()
  await ann.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
  await product.settled()
  isOver = true
  await reading
  seen.add((await ann.get('/api/media?limit=25')).json().pagination.totalCount)
  assert.deepEqual([...seen], [401, 400])
})

async function isSomebodyWaiting(db: Db) {
  const { rows } = await sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`.execute(db)
  return rows.length > 0
}

if (isOnPostgres) {
  test('a restore in one process pauses what is written in every other, and only that', async (context) => {
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

  test('a restore begins only when files that are just being recorded are in the library', async (context) => {
    const product = await testApp(context)
    const { db } = product.services
    const ann = await product.register()
    const { backup } = (await ann.post('/api/admin/backups/create')).json()
    const happened: string[] = []
    let restoring: Promise<unknown> | undefined
    await db.transaction().execute(async (transaction) => {
      await requireSameLibrary(transaction, await loadEdition(transaction))
      restoring = ann
        .post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true })
        .then(({ statusCode }) => happened.push(`restore ${statusCode}`))
      while (happened.length === 0 && !(await isSomebodyWaiting(db)));
      happened.push('recorded')
    })
    await restoring
    assert.deepEqual(happened, ['recorded', 'restore 200'])
    await product.settled()
  })
}
