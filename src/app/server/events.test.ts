import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { listenerName } from '#platform/server/db/dialect.ts'
import { listenToEvents } from '#tests/support/live-events.ts'
import { multipart } from '#tests/support/multipart.ts'
import { isOnPostgres } from '#tests/support/postgres.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import { testApp } from '#tests/support/test-app.ts'
import { appApi } from '../contract.ts'
import { maxStreamsPerUser } from './routes/events.ts'

test('a page receives changes as they happen', async (context) => {
  const { app, register, services } = await testApp(context)
  const user = await register()
  const line = await listenToEvents(context, { app, user })
  assert.equal(line.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(line.response.headers.get('cache-control'), 'no-store')
  assert.equal(line.response.headers.get('content-encoding'), null, 'nothing holds the events back')
  assert.equal((await line.next())?.comment, 'connected')
  await services.events.publish(user.id, { type: 'media-changed', ids: [7] })
  assert.deepEqual((await line.nextEvent())?.event, { type: 'media-changed', ids: [7] })
})

test('all events match the contract', async (context) => {
  const { app, register } = await testApp(context)
  const user = await register()
  const line = await listenToEvents(context, { app, user })
  const { id } = await user.addPicture()
  await user.post('/api/collections', { name: 'Summer' })
  await user.post('/api/media/bulk-description', { mediaIds: [id], runId: 'mine', description: 'A beach' })
  await user.delete('/api/trash')
  const told = ['media', 'collections', 'run', 'media', 'reset']
  for (const type of told) {
    const heard = (await line.nextEvent())?.event
    assert.deepEqual([heard?.type, appApi.events.events.parse(heard)], [type, heard])
  }
})

test('every change of an item or a collection sends an event to its owner', async (context) => {
  const { app, register, services } = await testApp(context)
  const user = await register()
  const line = await listenToEvents(context, { app, user })
  const { id } = await user.addPicture()
  const collection = `/api/collections/${(await user.post('/api/collections', { name: 'Summer' })).json().id}`
  const item = `/api/media/${id}`
  const [ofItem, ofCollection] = [{ type: 'media', ids: [id] }, { type: 'collections' }]
  // On PostgreSQL the event may arrive after the response to the call, so the test waits for it.
  for (const event of [ofItem, ofCollection]) assert.deepEqual((await line.nextEvent())?.event, event)
  const changes: [change: () => ReturnType<typeof user.post>, event: object][] = [
    [() => user.patch(item, { filename: 'pier.jpg' }), ofItem],
    [() => user.post(`${item}/public`), ofItem],
    [() => user.patch(`${item}/public-url`, { publicUrlSlug: 'the-pier' }), ofItem],
    [() => user.delete(`${item}/public`), ofItem],
    [() => user.post(`${collection}/media/${id}`), ofItem],
    [() => user.patch(collection, { name: 'Autumn' }), ofCollection],
    [() => user.patch(`${collection}/url`, { publicSlug: 'the-autumn' }), ofCollection],
    [() => user.patch(`${collection}/visibility`, { isPublic: true }), ofCollection],
    [() => user.patch(`${collection}/branding`, { title: 'Leaves' }), ofCollection],
    [() => user.patch(`${collection}/order`, { mediaIds: [id], beforeId: null }), ofCollection],
    [() => user.post(`${collection}/duplicate`, { name: 'Winter' }), ofCollection],
    [() => user.delete(`${collection}/media/${id}`), ofItem],
    [() => user.delete(collection), ofCollection],
    [() => user.post('/api/media/bulk-trash', { mediaIds: [id] }), ofItem],
    [() => user.post('/api/media/bulk-restore', { mediaIds: [id] }), ofItem],
    [() => user.delete(item), ofItem],
  ]
  for (const [change, event] of changes) {
    const answer = await change()
    assert.ok(answer.statusCode < 300, answer.body)
    // Makes the test fail at once, instead of hanging, if the change sent no event.
    await services.events.publish(user.id, { type: 'end' })
    assert.deepEqual((await line.nextEvent())?.event, event, `${answer.raw.req.method} ${answer.raw.req.url}`)
    assert.deepEqual((await line.nextEvent())?.event, { type: 'end' })
  }
})

test('a user receives no events of another user, and a visitor cannot subscribe', async (context) => {
  const { app, register, services, visitor } = await testApp(context)
  const ann = await register()
  const ben = await register()
  const lines = await Promise.all([ann, ben].map((user) => listenToEvents(context, { app, user })))
  await services.events.publish(ann.id, { type: 'for-ann' })
  await services.events.publish(ben.id, { type: 'for-ben' })
  const heard = await Promise.all(lines.map((line) => line.nextEvent()))
  assert.deepEqual(
    heard.map((each) => each?.event?.type),
    ['for-ann', 'for-ben'],
  )
  const stranger = await listenToEvents(context, { app, user: visitor() })
  assert.equal(stranger.response.status, 401)
})

test('two pages of one user receive the same events', async (context) => {
  const { app, register, services } = await testApp(context)
  const user = await register()
  const lines = await Promise.all([1, 2].map(() => listenToEvents(context, { app, user })))
  await services.events.publish(user.id, { type: 'news' })
  const [first, second] = await Promise.all(lines.map((line) => line.nextEvent()))
  assert.deepEqual(first, second)
})

test('a user’s oldest event stream is closed at the limit, and other users keep theirs', async (context) => {
  const { app, register, services } = await testApp(context)
  const [ann, ben] = [await register(), await register()]
  const bens = await listenToEvents(context, { app, user: ben })
  const oldest = await listenToEvents(context, { app, user: ann })
  for (let lines = 1; lines < maxStreamsPerUser; lines++) await listenToEvents(context, { app, user: ann })
  const latest = await listenToEvents(context, { app, user: ann })
  assert.equal(await oldest.nextEvent(), null, 'its page reconnects if it is still open')
  for (const [line, { id }] of [
    [latest, ann],
    [bens, ben],
  ] as const) {
    await services.events.publish(id, { type: 'news' })
    assert.deepEqual((await line.nextEvent())?.event, { type: 'news' })
  }
})

test('a client that reconnects receives what it missed, once and in order', async (context) => {
  const { app, register, services } = await testApp(context)
  const user = await register()
  const other = await register()
  const before = await listenToEvents(context, { app, user })
  await services.events.publish(user.id, { type: 'one' })
  const last = await before.nextEvent()
  before.hangUp()
  const watcher = await listenToEvents(context, { app, user })
  for (const type of ['two', 'three']) await services.events.publish(user.id, { type })
  await services.events.publish(other.id, { type: 'secret' })
  await services.events.publish(user.id, { type: 'four' })
  for (let count = 0; count < 3; count++) await watcher.nextEvent()
  const after = await listenToEvents(context, { app, user, lastEventId: last?.id })
  const missed = [await after.nextEvent(), await after.nextEvent(), await after.nextEvent()]
  assert.deepEqual(
    missed.map((each) => each?.event?.type),
    ['two', 'three', 'four'],
  )
  await services.events.publish(user.id, { type: 'five' })
  assert.equal((await after.nextEvent())?.event?.type, 'five')
})

test('a client cut off before its first event receives what it missed; after a restart it gets a reset', async (context) => {
  const product = await testApp(context)
  const user = await product.register()
  await product.settled()
  const before = await listenToEvents(context, { app: product.app, user })
  const { id } = (await before.next())!
  before.hangUp()
  await product.services.events.publish(user.id, { type: 'missed' })
  const after = await listenToEvents(context, { app: product.app, user, lastEventId: id })
  assert.deepEqual((await after.nextEvent())?.event, { type: 'missed' })
  after.hangUp()
  await product.restart()
  const later = await listenToEvents(context, { app: product.app, user, lastEventId: id })
  assert.deepEqual((await later.nextEvent())?.event, { type: 'reset' })
})

test('the stream of a page that preloaded its list begins with what has changed since the page was sent', async (context) => {
  const clientDir = await temporaryFolder(context)
  await writeFile(join(clientDir, 'index.html'), '<title>Albumen</title>')
  const { app, register, services } = await testApp(context, {}, { clientDir })
  const user = await register()
  const arrived = Promise.withResolvers<void>()
  services.events.subscribe(user.id, undefined, () => arrived.resolve())
  await services.events.publish(user.id, { type: 'before' })
  await arrived.promise
  const { body } = await user.get('/')
  await services.events.publish(user.id, { type: 'after' })
  const since = /<meta name="latest-event" content="([^"]+)"/.exec(body)?.[1]
  const line = await listenToEvents(context, { app, user, since })
  assert.deepEqual((await line.nextEvent())?.event, { type: 'after' })
})

test('a client that reconnects with an unknown event id gets a reset', async (context) => {
  const product = await testApp(context)
  const user = await product.register()
  const first = await listenToEvents(context, { app: product.app, user })
  await product.services.events.publish(user.id, { type: 'one' })
  const { id } = (await first.nextEvent())!
  first.hangUp()
  await product.restart()
  for (const lastEventId of [id, 'nonsense', `${id}999`]) {
    const line = await listenToEvents(context, { app: product.app, user, lastEventId })
    assert.deepEqual((await line.nextEvent())?.event, { type: 'reset' }, lastEventId)
    line.hangUp()
  }
})

test('an idle event stream is kept alive by comments', async (context) => {
  const { app, register, settled } = await testApp(context)
  const user = await register()
  // A job that started with a real timer could not clear it with the mocked clearInterval.
  await settled()
  context.mock.timers.enable({ apis: ['setInterval'] })
  const line = await listenToEvents(context, { app, user })
  assert.equal((await line.next())?.comment, 'connected')
  for (let beat = 0; beat < 3; beat++) {
    context.mock.timers.tick(20_000)
    assert.deepEqual(await line.next(), { comment: 'still here' })
  }
  context.mock.timers.reset()
})

test('an event stream ends with its session, by a logout, a new password or a deleted account', async (context) => {
  const { app, register, settled, visitor } = await testApp(context)
  const admin = await register()
  const [ann, ben, carl] = [await register(), await register(), await register()]
  await settled()
  context.mock.timers.enable({ apis: ['setInterval'] })
  const lines = await Promise.all([admin, ann, ben, carl].map((user) => listenToEvents(context, { app, user })))
  for (const line of lines) await line.next()
  const copied = visitor()
  for (const [name, value] of ann.cookies) copied.cookies.set(name, value)
  await copied.post('/api/logout')
  await admin.patch(`/api/admin/users/${ben.id}/password`, { newPassword: 'brand new' })
  await admin.delete(`/api/admin/users/${carl.id}`)
  context.mock.timers.tick(20_000)
  const [stays, ...over] = lines
  assert.deepEqual(await stays!.next(), { comment: 'still here' })
  for (const line of over) {
    let word = await line.next()
    while (word?.event) word = await line.next()
    assert.equal(word, null)
  }
  context.mock.timers.reset()
})

test('an event stream ends when a restore gives its session to a different account', async (context) => {
  const old = await testApp(context)
  const bob = await old.register('bob')
  await old.register('ann')
  const bytes = Buffer.from((await bob.get('/api/admin/database/download')).body)
  const { app, register, settled } = await testApp(context)
  const ann = await register('ann')
  await settled()
  context.mock.timers.enable({ apis: ['setInterval'] })
  const line = await listenToEvents(context, { app, user: ann })
  await line.next()
  const database = multipart([{ name: 'database.json', bytes }], {}, 'database')
  const moved = await ann.send({ method: 'POST', url: '/api/admin/database/upload', ...database })
  assert.equal(moved.statusCode, 200, moved.body)
  assert.notEqual((await ann.get('/api/user')).json().id, ann.id, 'the old id now belongs to another account')
  context.mock.timers.tick(20_000)
  let word = await line.next()
  while (word?.event) word = await line.next()
  assert.equal(word, null)
  context.mock.timers.reset()
})

test('a HEAD request opens no event stream', async (context) => {
  const { register } = await testApp(context)
  const head = await (await register()).send({ method: 'HEAD', url: '/api/events' })
  assert.equal(head.statusCode, 405)
})

if (isOnPostgres) {
  test('two processes on one database receive each other’s events', async (context) => {
    const product = await testApp(context)
    const user = await product.register()
    const sibling = await product.startSibling()
    const here = await listenToEvents(context, { app: product.app, user })
    const there = await listenToEvents(context, { app: sibling.app, user })
    await product.services.events.publish(user.id, { type: 'from-here' })
    await sibling.services.events.publish(user.id, { type: 'from-there' })
    for (const line of [here, there]) {
      const heard = [(await line.nextEvent())?.event?.type, (await line.nextEvent())?.event?.type]
      assert.deepEqual(heard, ['from-here', 'from-there'])
    }
  })

  test('when the connection for notifications was lost, all clients get a reset', async (context) => {
    const { app, register, services } = await testApp(context)
    const user = await register()
    const line = await listenToEvents(context, { app, user })
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ${listenerName}`.execute(services.db)
    assert.deepEqual((await line.nextEvent())?.event, { type: 'reset' })
    await services.events.publish(user.id, { type: 'again' })
    assert.equal((await line.nextEvent())?.event?.type, 'again')
  })
}
