import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import type { Tables } from '#platform/server/db/tables.ts'
import {
  beginUpload,
  bodyEnd,
  listenOnPort,
  partHead,
  responseTo,
  uploadsMayPause,
  writeTo,
} from '#tests/support/live-upload.ts'
import { multipart } from '#tests/support/multipart.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { insertManyMedia } from '#tests/support/seed-library.ts'
import { storedIn } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { TestUser } from '#tests/support/test-user.ts'
import { insertRestore } from '../store.ts'

// Work that outlives its library must not affect the next one, where another user may have the same id.

/** A restore in another process, which this one has not noticed yet. */
const restoreElsewhere = ({ services: { db } }: TestApp, adminId: number) =>
  insertRestore(db, { backupId: '20260101-000000-00000000', adminId, skipsSafety: true })

/** The rows of another installation, in which another user has the given id. */
async function anotherInstallation(admin: TestUser) {
  const library = (await admin.get('/api/admin/database/download')).body
  const [account] = JSON.parse(library).tables.users
  return (id: number) => {
    const carl = { ...account, id, username: 'Carl', username_key: 'carl', email: 'c@x.org', email_key: 'c@x.org' }
    const bytes = Buffer.from(library.replace('"users":[', `"users":[${JSON.stringify(carl)},`))
    return multipart([{ name: 'database.json', bytes }], {}, 'database')
  }
}

/** In each new library the id belongs to another user or to none. */
async function replacementsOf(admin: TestUser) {
  const elsewhere = await anotherInstallation(admin)
  const { backup } = (await admin.post('/api/admin/backups/create')).json()
  return [
    (id: number) => admin.send({ method: 'POST', url: '/api/admin/database/upload', ...elsewhere(id) }),
    () => admin.post('/api/admin/database/reset'),
    () => admin.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true }),
  ]
}

test('an upload that was running when another process started a restore is refused', async (context) => {
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

test('a running change ends before the library is replaced, and is not in the next one', (context) =>
  endsBefore(context, (product) => product))

if (isOnPostgres) {
  test('a running change of another process ends before the library is replaced', (context) =>
    endsBefore(context, (product) => product.startSibling()))
}

type Process = Pick<TestApp, 'app' | 'services'>

async function endsBefore(context: TestContext, letIn: (product: TestApp) => Process | Promise<Process>) {
  const product = await testApp(context)
  const ann = await product.register()
  const picture = await ann.addPicture('as it was.jpg')
  const library = Buffer.from((await ann.get('/api/admin/database/download')).body)
  const { backup } = (await ann.post('/api/admin/backups/create')).json()
  const ways = [
    () => {
      const form = multipart([{ name: 'database.json', bytes: library }], {}, 'database')
      return ann.send({ method: 'POST', url: '/api/admin/database/upload', ...form })
    },
    () => ann.post(`/api/admin/backups/${backup.id}/restore`, { skipSafetyBackup: true }),
  ]
  const { app, services } = await letIn(product)
  const there = new TestUser(() => app)
  for (const [name, value] of ann.cookies) there.cookies.set(name, value)
  for (const replace of ways) {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const begin = services.db.transaction.bind(services.db)
    // It has checked whose item it is and is about to write.
    const paused = context.mock.method(services.db, 'transaction', () => {
      paused.mock.restore()
      const { execute } = begin()
      const later = async (...work: Parameters<typeof execute>) => {
        reached.resolve()
        await released.promise
        return begin().execute(...work)
      }
      return { execute: later }
    })
    const changing = there.patch(`/api/media/${picture.id}`, { filename: 'late.jpg' })
    await reached.promise
    const replacing = replace()
    // Long enough to replace a library of one image.
    await delay(1000)
    released.resolve()
    assert.equal((await changing).statusCode, 200)
    assert.equal((await replacing).statusCode, 200)
    await Promise.all([product.settled(), services.jobs.idle()])
    assert.equal((await ann.get(`/api/media/${picture.id}`)).json().filename, 'as it was.jpg')
    while (services.restoreGate.isClosed()) await turn()
  }
}

test('an upload that outlives its library is refused, even if another user has the id now', async (context) => {
  const product = await testApp(context, {}, uploadsMayPause)
  const ann = await product.register()
  const address = await listenOnPort(product.app)
  const jpeg = await makeJpeg()
  for (const change of await replacementsOf(ann)) {
    const ben = await product.register()
    const upload = beginUpload(address, ben)
    const answered = responseTo(upload)
    await writeTo(upload, partHead('private.jpg'))
    await writeTo(upload, jpeg.subarray(0, jpeg.length / 2))
    while ((await storedIn(product)).temporary.length === 0) await turn()
    assert.equal((await change(ben.id)).statusCode, 200)
    await product.settled()
    upload.write(jpeg.subarray(jpeg.length / 2))
    upload.end(bodyEnd)
    const answer = await answered
    assert.equal(answer.statusCode, 409, JSON.stringify(answer.json()))
    assert.match(answer.json().message, /^The library was replaced in the meantime/)
    assert.equal((await product.services.db.selectFrom('media').select('id').execute()).length, 0)
    assert.deepEqual((await storedIn(product)).temporary, [])
  }
  await ann.addPicture('after.jpg')
})

test('a change whose body arrives after the library was replaced is refused', async (context) => {
  // The fixed clock keeps the session check from being repeated, which would fail, because the account is gone.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const hasSession = new EventEmitter()
  const prepare = (app: FastifyInstance) =>
    app.addHook('preParsing', async ({ url }, _reply, payload) => {
      hasSession.emit(url)
      return payload
    })
  const product = await testApp(context, {}, { prepare })
  const ann = await product.register()
  const address = await listenOnPort(product.app)
  for (const change of await replacementsOf(ann)) {
    const ben = await product.register()
    const arrived = once(hasSession, '/api/collections')
    const headers = { 'content-type': 'application/json', cookie: ben.cookieHeader }
    const creation = request(`${address}/api/collections`, { method: 'POST', headers })
    const answered = responseTo(creation)
    await writeTo(creation, '{"name":')
    await arrived
    assert.equal((await change(ben.id)).statusCode, 200)
    await product.settled()
    creation.end('"Private"}')
    const answer = await answered
    assert.equal(answer.statusCode, 503, JSON.stringify(answer.json()))
    assert.deepEqual(await product.services.db.selectFrom('collections').select('id').execute(), [])
  }
})

type Deletion = {
  prepare?: Deletion['begin']
  begin: (user: TestUser, mediaIds: number[]) => ReturnType<TestUser['post']>
}

const deletions: Record<string, Deletion> = {
  'a deletion of many': { begin: (user, mediaIds) => user.post('/api/media/bulk-delete', { mediaIds }) },
  'emptying the trash': {
    prepare: (user, mediaIds) => user.post('/api/media/bulk-trash', { mediaIds }),
    begin: (user) => user.delete('/api/trash'),
  },
}

for (const [what, deletion] of Object.entries(deletions)) {
  test(`${what} stops when its library is replaced`, (context) => stopsAtAnotherLibrary(context, deletion))
}

async function stopsAtAnotherLibrary(context: TestContext, { prepare, begin: beginDeletion }: Deletion) {
  const product = await testApp(context)
  const ann = await product.register()
  const { db } = product.services
  const mediaIds = await insertManyMedia(db, ann.id, 201)
  await prepare?.(ann, mediaIds)
  const library = (await ann.get('/api/admin/database/download')).rawPayload
  const upload = multipart([{ name: 'database.json', bytes: library }], {}, 'database')
  await product.settled()
  const begin = db.transaction.bind(db)
  let begun = 0
  context.mock.method(db, 'transaction', () => {
    if (++begun !== 2) return begin()
    const work = async (change: (transaction: Transaction<Tables>) => Promise<unknown>) => {
      assert.equal((await ann.send({ method: 'POST', url: '/api/admin/database/upload', ...upload })).statusCode, 200)
      return begin().execute(change)
    }
    return { execute: work }
  })
  const answer = await beginDeletion(ann, mediaIds)
  assert.equal(answer.statusCode, 409, answer.body)
  assert.match(answer.json().message, /^The library was replaced in the meantime/)
  const { count } = await db
    .selectFrom('media')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(Number(count), 201, 'all of the new library is there')
}
