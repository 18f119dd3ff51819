import assert from 'node:assert/strict'
import { test } from 'node:test'
import { multipart } from '#tests/support/multipart.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { withLibrary } from './admin.fixture.ts'

const uploadDatabase = (admin: TestUser, text: string, name = 'database.json') =>
  admin.send({
    method: 'POST',
    url: '/api/admin/database/upload',
    ...multipart([{ name, bytes: Buffer.from(text) }], {}, 'database'),
  })

const tableCount = async ({ services }: TestApp, table: 'media' | 'users' | 'collections' | 'slugs') =>
  (await services.db.selectFrom(table).selectAll().execute()).length

test('the overview counts what the library holds and shows what came last', async (context) => {
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

test('storage over the last days counts what is there today, trash included, from the day on which it came', async (context) => {
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

onOneDatabase('the connection that writes counts nothing for the panel', async (context) => {
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

test('the user list is a bare array with counts', async (context) => {
  const { admin, person, picture } = await withLibrary(context)
  const users = (await admin.get('/api/admin/users')).json()
  assert.ok(Array.isArray(users))
  const { created_at, ...row } = users.find(({ id }: { id: number }) => id === person.id)
  assert.ok(Date.parse(created_at))
  assert.equal(row.is_admin, false)
  assert.deepEqual([row.media_count, row.collection_count, row.storage_used], [1, 0, picture.size])
  assert.ok(!('password_hash' in row))
})

test('an administrator makes others administrators, and never changes their own account', async (context) => {
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

test('an administrator adds users, also where registration is closed', async (context) => {
  const product = await testApp(context, { REGISTRATION: 'closed' })
  const admin = await product.register()
  const draft = { username: 'newcomer', email: 'newcomer@example.com', password: 'battery staple' }
  const answer = await admin.post('/api/admin/users', { ...draft, isAdmin: true })
  assert.equal(answer.statusCode, 201)
  assert.equal(answer.json().username, 'newcomer')
  const newcomer = product.visitor()
  const { isAdmin, ...account } = (await newcomer.post('/api/login', draft)).json()
  assert.deepEqual([isAdmin, account.id, account.email], [false, answer.json().id, draft.email])
  assert.equal((await admin.get('/api/user')).json().id, admin.id, 'nobody is signed in by it')

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

test('two administrators who revoke each other at once leave one', async (context) => {
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

test('a reset password ends the sessions and is the only one that works', async (context) => {
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

test('a deleted user is gone with media, collections and public addresses', async (context) => {
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

test('the database goes out as one JSON file without sessions and comes back the same', async (context) => {
  const { product, admin, person, picture } = await withLibrary(context)
  await person.post('/api/collections', { name: 'Kept' })
  const download = await admin.get('/api/admin/database/download')
  assert.match(String(download.headers['content-disposition']), /attachment; filename="?albumen-database-.*\.json/)
  assert.equal(download.headers['cache-control'], 'no-store')
  const document = JSON.parse(download.body)
  assert.equal(document.format, 'albumen-database')
  assert.equal(document.version, 1)
  assert.ok(document.tables.users[0].password_hash.startsWith('$argon2id$'))
  for (const table of ['sessions', 'settings', 'jobs']) assert.ok(!(table in document.tables))

  await admin.post('/api/admin/database/reset')
  assert.equal(await tableCount(product, 'users'), 1)
  for (const text of [download.body, JSON.stringify(document), JSON.stringify(document, null, 4)]) {
    const answer = await uploadDatabase(admin, text)
    assert.equal(answer.statusCode, 200, answer.body)
    assert.deepEqual(answer.json().imported, { users: 2, media: 1, collections: 1 })
    assert.equal(answer.json().missingFiles, 0)
  }
  const again = JSON.parse((await admin.get('/api/admin/database/download')).body)
  assert.deepEqual(again.tables, document.tables)
  const { blob } = await product.services.db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await product.services.storage.remove(blob)
  const { message } = (await uploadDatabase(admin, download.body)).json()
  assert.equal(message, '2 users, 1 media file and 1 collection were imported. 1 file could not be found.')
  assert.equal((await admin.get('/api/user')).statusCode, 200)
  const users = (await admin.get('/api/admin/users')).json()
  assert.equal(users[1].media_count, 1)
  assert.equal(users[1].storage_used, picture.size)
})

test('a damaged or foreign database is refused whole, with the line at fault', async (context) => {
  const { product, admin, person } = await withLibrary(context)
  await person.addPicture('two.jpg')
  const { body } = await admin.get('/api/admin/database/download')
  const lines = body.split('\n')
  const lineOf = (part: string) => lines.findIndex((line) => line.includes(part)) + 1
  const changed = (from: string | RegExp, to: string) => body.replace(from, to)
  const media = lineOf('"filename":"two.jpg"')
  const cases: [text: string, expected: RegExp][] = [
    ['', /Line 1/],
    ['{}', /Line 1: this is not a database of Albumen/],
    ['[1,2]', /Line 1/],
    ['{"format":"other","version":1,"tables":{}}', /Line 1: this is not a database/],
    [changed('"version":1,"schema"', '"version":2,"schema"'), /newer Albumen/],
    [changed(/"schema":\d+/, '"schema":9999'), /newer Albumen/],
    [body.slice(0, -30), /the file ends here/],
    [`${body}{}`, /something follows/],
    [changed('"filename":"two.jpg"', '"filename":12'), new RegExp(`Line ${media}: "filename" should be text`)],
    [changed('"filename":"two.jpg"', '"filename":"a","oops":1'), new RegExp(`Line ${media}: "oops" is no column`)],
    [changed('"filename":"two.jpg",', ''), new RegExp(`Line ${media}: "filename" is missing`)],
    [changed('"filename":"two.jpg"', '"filename":"two.jpg'), /Line \d+/],
    [
      changed(/("filename":"two.jpg".*"owner_id":)\d+/, '$1424242'),
      new RegExp(`Line ${media}: this row of media points to a row of users`),
    ],
    [changed(/"is_admin":1/, '"is_admin":0'), /Nobody in this database is an administrator/],
    [changed(/"password_hash":"[^"]*"/, '"password_hash":"plain"'), /argon2id/],
    [changed('"media":[', '"shoes":['), /"shoes" is no table/],
  ]
  const before = (await admin.get('/api/admin/database/download')).body.split('"tables"')[1]
  for (const [text, expected] of cases) {
    assert.notEqual(text, body)
    const answer = await uploadDatabase(admin, text)
    assert.equal(answer.statusCode, 400, `${expected} ${answer.body}`)
    assert.match(answer.json().message, expected)
  }
  const [row] = JSON.parse(body).tables.users
  const twice = body.replace('\n],\n"media":[', `,\n${JSON.stringify({ ...row, id: 77 })}\n],\n"media":[`)
  assert.match((await uploadDatabase(admin, twice)).json().message, /another row has the same name/)
  assert.equal((await uploadDatabase(admin, body, 'database.txt')).statusCode, 400)
  assert.equal((await admin.get('/api/admin/database/download')).body.split('"tables"')[1], before)
  assert.equal(await tableCount(product, 'media'), 2)
})

test('rows that would fail every page they are on, or the next login, are refused with their line', async (context) => {
  const { admin, person } = await withLibrary(context)
  const collection = (await person.post('/api/collections', { name: 'Summer' })).json()
  await person.patch(`/api/collections/${collection.id}/sharing`, { password: 'secret' })
  const { id } = await person.addPicture('two.jpg')
  await person.patch(`/api/media/${id}`, { aiTags: ['boat'] })
  await person.post('/api/media/bulk-description', { mediaIds: [id], description: 'A boat' })
  const { body } = await admin.get('/api/admin/database/download')
  const hostile: [column: string, value: string | number, within?: string][] = [
    ['created_at', 9e15],
    ['trashed_at', -9e15],
    ['size', -1],
    ['ai_status', 'weird'],
    ['playback', 'weird'],
    ['colours', '{}'],
    ['exif', '{"camera":5}'],
    ['sprite', '5'],
    ['source', 'null'],
    ['source', 'weird', '"tag":"boat"'],
    ['kind', 'weird', '"kind":"description"'],
    ['created_at', 9e15, '"name":"Summer"'],
    ['password_hash', 'plain', '"name":"Summer"'],
    // Whoever signs in would wait for minutes, and so would everybody else.
    ['password_hash', '$argon2id$v=19$m=4194304,t=100,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA', '"username":'],
    ['password_hash', '$argon2id$rubbish', '"username":'],
  ]
  for (const [column, value, within = '"filename":"two.jpg"'] of hostile) {
    const lines = body.split('\n')
    const index = lines.findIndex((line) => line.includes(within))
    const row = JSON.parse(lines[index]!.replace(/,$/, ''))
    lines[index] = JSON.stringify({ ...row, [column]: value }) + (lines[index]!.endsWith(',') ? ',' : '')
    const answer = await uploadDatabase(admin, lines.join('\n'))
    assert.equal(answer.statusCode, 400, `${column} ${value}: ${answer.body}`)
    assert.match(answer.json().message, new RegExp(`^Line ${index + 1}: "${column}" `))
  }
  assert.equal((await uploadDatabase(admin, body)).statusCode, 200)
})

test('who brings a database in becomes the account of their name, and its old password makes nobody an administrator', async (context) => {
  const earlier = await testApp(context)
  const head = await earlier.register('head')
  await earlier.register('boss')
  // There the address of who asks is another person's; the name decides.
  const { db } = earlier.services
  for (const [username_key, email] of [
    ['boss', 'boss@elsewhere.example'],
    ['head', 'boss@example.com'],
  ] as const)
    await db.updateTable('users').set({ email, email_key: email }).where('username_key', '=', username_key).execute()
  const { body } = await head.get('/api/admin/database/download')
  const product = await testApp(context)
  const boss = await product.register('boss')
  await boss.put('/api/user/password', { currentPassword: 'correct horse', newPassword: 'battery staple' })
  assert.equal((await uploadDatabase(boss, body)).statusCode, 200)
  const { username, isAdmin } = (await boss.get('/api/user')).json()
  assert.deepEqual([username, isAdmin], ['boss', true])
  const logIn = (username: string, password: string) => product.visitor().post('/api/login', { username, password })
  assert.equal((await logIn('boss', 'correct horse')).statusCode, 401, 'that of an ordinary member')
  assert.equal((await logIn('boss', 'battery staple')).json().isAdmin, true)
  assert.equal((await logIn('head', 'correct horse')).json().isAdmin, true, 'who was one there still is')
})

test('a reset keeps the administrator who asks and the backups', async (context) => {
  const { product, admin, person } = await withLibrary(context)
  await admin.post('/api/admin/backups/create')
  assert.equal((await admin.post('/api/admin/database/reset')).statusCode, 200)
  assert.equal((await admin.get('/api/user')).json().isAdmin, true)
  assert.equal((await admin.get('/api/user/storage')).json().usedBytes, 0)
  assert.equal((await person.get('/api/user')).statusCode, 401)
  assert.equal((await admin.get('/api/admin/backups')).json().backups.length, 1)
  const next = await product.register()
  assert.equal((await next.get('/api/user')).json().isAdmin, false)
})
