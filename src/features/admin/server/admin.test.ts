import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectEvents } from '#tests/support/live-events.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { tableCount, withLibrary } from './admin.fixture.ts'

test('the overview has the library’s counts and the recent uploads', async (context) => {
  const { admin, picture } = await withLibrary(context)
  const stats = (await admin.get('/api/admin/stats')).json()
  assert.equal(stats.totalUsers, 2)
  assert.equal(stats.adminUsers, 1)
  assert.equal(stats.totalMedia, 1)
  assert.equal(stats.totalStorage, picture.size)
  assert.equal(stats.recentActivity.recentMedia[0].filename, 'beach.jpg')
  assert.equal(stats.recentActivity.recentUsers.length, 2)
  assert.equal(typeof stats.recentActivity.recentUsers[0].is_admin, 'boolean')
})

test('the storage history counts existing files from their upload day, trash included', async (context) => {
  // A fixed clock keeps midnight out of the test.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { product, admin, person, picture: today } = await withLibrary(context)
  const dayMs = 24 * 3600_000
  const cameBefore = async ({ id }: { id: number }, days: number) => {
    const created_at = Date.now() - days * dayMs
    await product.services.db.updateTable('media').set({ created_at }).where('id', '=', id).execute()
  }
  const [early, trashed, ofAdmin] = [await person.addPicture(), await person.addPicture(), await admin.addPicture()]
  await cameBefore(early, 40)
  await cameBefore(trashed, 29)
  await cameBefore(ofAdmin, 2)
  await person.post('/api/media/bulk-trash', { mediaIds: [trashed.id] })
  const { days } = (await admin.get('/api/admin/storage-history')).json()
  assert.equal(days.length, 30)
  const steps = days.map(({ bytes, files }: { bytes: number; files: number }) => `${files}: ${bytes}`)
  const after = [early, trashed, ofAdmin, today].map(({ size }, index, all) => {
    const before = all.slice(0, index).reduce((sum, item) => sum + item.size, 0)
    return `${index + 1}: ${before + size}`
  })
  assert.deepEqual(steps, [...Array(27).fill(after[1]), after[2], after[2], after[3]])
  assert.equal(days.at(-1).day, new Date().toISOString().slice(0, 10))
})

test('the storage history counts shared bytes once, on the day of the first item', async (context) => {
  const { product, admin, person } = await withLibrary(context)
  const early = await person.addPicture()
  await product.services.db.updateTable('media').set({ created_at: 0 }).where('id', '=', early.id).execute()
  const { days: before } = (await admin.get('/api/admin/storage-history')).json()
  await person.post(`/api/media/${early.id}/copy`)
  const { days } = (await admin.get('/api/admin/storage-history')).json()
  const bytesOf = (day: { bytes: number }) => day.bytes
  assert.deepEqual(days.map(bytesOf), before.map(bytesOf))
})

test('the storage history counts each version of an item once, on the day of its file', async (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { product, admin, person } = await withLibrary(context)
  const { db } = product.services
  const media = await person.addPicture()
  const daysAgo = (days: number) => Date.now() - days * 24 * 3600_000
  await db
    .updateTable('media')
    .set({ created_at: daysAgo(9) })
    .where('id', '=', media.id)
    .execute()
  const stepsOf = async () => {
    const { days } = (await admin.get('/api/admin/storage-history')).json()
    const sizes = days.map(({ bytes }: { bytes: number }) => bytes)
    return sizes.map((bytes: number, index: number) => bytes - (sizes[index - 1] ?? bytes)).filter(Boolean)
  }
  const [first, ...others] = await stepsOf()
  const replacement = await makeJpeg()
  assert.equal((await person.replace(media.id, 'new.jpg', replacement)).statusCode, 200)
  assert.deepEqual(await stepsOf(), [first, others[0] + replacement.length])
  await db
    .updateTable('media_versions')
    .set({ made_at: daysAgo(5) })
    .where('cause', '=', 'replacement')
    .execute()
  assert.deepEqual(await stepsOf(), [first, replacement.length, ...others])
  await person.post(`/api/media/${media.id}/copy`)
  assert.deepEqual(await stepsOf(), [first, replacement.length, ...others], 'a duplicate shares the bytes')
  await person.replace(media.id, 'again.jpg', replacement)
  assert.deepEqual(await stepsOf(), [first, replacement.length, ...others])
})

onOneDatabase('the panel’s counts do not use the writing connection', async (context) => {
  const { services, register } = await testApp(context)
  const admin = await register()
  const { mock } = context.mock.method(services.db.getExecutor(), 'executeQuery')
  const polled = ['stats', 'storage-history', 'users', 'jobs', 'ai', 'system', 'migrate-to-imagekit']
  for (const name of polled) assert.equal((await admin.get(`/api/admin/${name}`)).statusCode, 200, name)
  const asked = mock.calls.map(({ arguments: [query] }) => query.sql)
  assert.ok(asked.length > 0, 'the session at least is looked up there')
  assert.deepEqual(
    asked.filter((words) => words.includes('count(')),
    [],
  )
})

test('the user list is an array of users with counts', async (context) => {
  const { admin, person, picture } = await withLibrary(context)
  const users = (await admin.get('/api/admin/users')).json()
  assert.ok(Array.isArray(users))
  const { created_at, ...row } = users.find(({ id }: { id: number }) => id === person.id)
  assert.ok(Date.parse(created_at))
  assert.equal(row.is_admin, false)
  assert.deepEqual([row.media_count, row.collection_count, row.storage_used], [1, 0, picture.size])
  assert.ok(!('password_hash' in row))
})

test('an administrator can make others administrators, and cannot change their own account', async (context) => {
  const { admin, person } = await withLibrary(context)
  const answer = await admin.patch(`/api/admin/users/${person.id}/admin`, { isAdmin: true })
  assert.equal(answer.statusCode, 200)
  assert.equal((await person.get('/api/admin/stats')).statusCode, 200)
  assert.equal((await admin.patch(`/api/admin/users/${admin.id}/admin`, { isAdmin: false })).statusCode, 400)
  assert.equal((await admin.patch(`/api/admin/users/${admin.id}/password`, { newPassword: 'secret1' })).statusCode, 400)
  assert.equal((await admin.delete(`/api/admin/users/${admin.id}`)).statusCode, 400)
  assert.equal((await admin.patch('/api/admin/users/9999/admin', { isAdmin: true })).statusCode, 404)
  await admin.patch(`/api/admin/users/${person.id}/admin`, { isAdmin: false })
  assert.equal((await person.get('/api/admin/stats')).statusCode, 403, 'from that moment on, in the same session')
  assert.equal((await person.get('/api/user')).statusCode, 200)
})

test('a user’s open pages get an event when an administrator changes the account', async (context) => {
  const { product, admin, person } = await withLibrary(context)
  const account = `/api/admin/users/${person.id}`
  const changes: [what: string, change: () => ReturnType<typeof admin.patch>][] = [
    ['made an administrator', () => admin.patch(`${account}/admin`, { isAdmin: true })],
    ['no longer one', () => admin.patch(`${account}/admin`, { isAdmin: false })],
    ['signed out', () => admin.patch(`${account}/password`, { newPassword: 'brand new' })],
    ['deleted', () => admin.delete(account)],
  ]
  for (const [what, change] of changes) {
    const told = await collectEvents(product.services.events, person.id)
    assert.equal((await change()).statusCode, 200)
    await until(what, () => told.some(({ type }) => type === 'reset'))
  }
})

test('an administrator can add users while registration is closed', async (context) => {
  const product = await testApp(context, { REGISTRATION: 'closed' })
  const admin = await product.register()
  const draft = { username: 'newcomer', email: 'newcomer@example.com', password: 'battery staple' }
  const answer = await admin.post('/api/admin/users', { ...draft, isAdmin: true })
  assert.equal(answer.statusCode, 201)
  assert.equal(answer.json().username, 'newcomer')
  const newcomer = product.visitor()
  const { isAdmin, ...account } = (await newcomer.post('/api/login', draft)).json()
  assert.deepEqual([isAdmin, account.id, account.email], [false, answer.json().id, draft.email])
  assert.equal((await admin.get('/api/user')).json().id, admin.id, 'the administrator stays signed in')

  const refusals = [
    [{ ...draft, username: 'NewComer', email: 'other@example.com' }, 409, 'username'],
    [{ ...draft, username: 'other', email: 'NEWCOMER@example.com' }, 409, 'email'],
    [{ ...draft, username: 'other', email: 'other@example.com', password: '12345' }, 400, 'password'],
  ] as const
  for (const [body, status, field] of refusals) {
    const refused = await admin.post('/api/admin/users', body)
    assert.deepEqual([refused.statusCode, refused.json().field], [status, field])
  }
  assert.equal(await tableCount(product, 'users'), 2)
})

test('when two administrators revoke each other at once, one remains', async (context) => {
  const { product, admin, person } = await withLibrary(context)
  for (let round = 0; round < 5; round++) {
    await product.services.db.updateTable('users').set({ is_admin: 1 }).execute()
    const answers = await Promise.all([
      admin.patch(`/api/admin/users/${person.id}/admin`, { isAdmin: false }),
      person.patch(`/api/admin/users/${admin.id}/admin`, { isAdmin: false }),
    ])
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 403])
    const admins = await product.services.db.selectFrom('users').select('id').where('is_admin', '=', 1).execute()
    assert.equal(admins.length, 1)
  }
})

test('resetting a password ends the sessions and replaces the old password', async (context) => {
  const { admin, person } = await withLibrary(context)
  const { username } = (await person.get('/api/user')).json()
  const short = await admin.patch(`/api/admin/users/${person.id}/password`, { newPassword: '12345' })
  assert.equal(short.statusCode, 400)
  const answer = await admin.patch(`/api/admin/users/${person.id}/password`, { newPassword: 'brand new' })
  assert.equal(answer.json().username, username)
  assert.equal((await person.get('/api/user')).statusCode, 401)
  assert.equal((await person.post('/api/login', { username, password: 'correct horse' })).statusCode, 401)
  assert.equal((await person.post('/api/login', { username, password: 'brand new' })).statusCode, 200)
})

test('deleting a user deletes their media, collections and public addresses', async (context) => {
  const { product, admin, person, picture } = await withLibrary(context)
  await person.post(`/api/media/${picture.id}/public`)
  const { id } = (await person.post('/api/collections', { name: 'Shared' })).json()
  await person.patch(`/api/collections/${id}/visibility`, { isPublic: true })
  await admin.addPicture('mine.jpg')
  const answer = await admin.delete(`/api/admin/users/${person.id}`)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal((await person.get('/api/user')).statusCode, 401)
  assert.equal(await tableCount(product, 'media'), 1)
  assert.equal(await tableCount(product, 'collections'), 0)
  assert.equal(await tableCount(product, 'slugs'), 0)
  assert.equal(await tableCount(product, 'users'), 1)
})
