import assert from 'node:assert/strict'
import { test } from 'node:test'
import { multipart } from '#tests/support/multipart.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { tableCount, withLibrary } from './admin.fixture.ts'

const uploadDatabase = (admin: TestUser, text: string, name = 'database.json') =>
  admin.send({
    method: 'POST',
    url: '/api/admin/database/upload',
    ...multipart([{ name, bytes: Buffer.from(text) }], {}, 'database'),
  })

test('a database export is one JSON file without sessions, and importing it restores the same rows', async (context) => {
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
  assert.equal(message, '2 users, 1 item and 1 collection were imported. 1 file could not be found.')
  assert.equal((await admin.get('/api/user')).statusCode, 200)
  const users = (await admin.get('/api/admin/users')).json()
  assert.equal(users[1].media_count, 1)
  assert.equal(users[1].storage_used, picture.size)
})

test('a damaged or foreign database is refused as a whole, with the invalid line', async (context) => {
  const { product, admin, person } = await withLibrary(context)
  await person.addPicture('two.jpg')
  const { body } = await admin.get('/api/admin/database/download')
  const lines = body.split('\n')
  const lineOf = (part: string) => lines.findIndex((line) => line.includes(part)) + 1
  const changed = (from: string | RegExp, to: string) => body.replace(from, to)
  const media = lineOf('"filename":"two.jpg"')
  const cases: [text: string, expected: RegExp][] = [
    ['', /Line 1/],
    ['{}', /Line 1: this is not an Albumen database/],
    ['[1,2]', /Line 1/],
    ['{"format":"other","version":1,"tables":{}}', /Line 1: this is not an Albumen database/],
    [changed('"version":1,"schema"', '"version":2,"schema"'), /newer version of Albumen/],
    [changed(/"schema":\d+/, '"schema":9999'), /newer version of Albumen/],
    [body.slice(0, -30), /the file ends here/],
    [`${body}{}`, /something follows/],
    [changed('"filename":"two.jpg"', '"filename":12'), new RegExp(`Line ${media}: "filename" should be text`)],
    [changed('"filename":"two.jpg"', '"filename":"a","oops":1'), new RegExp(`Line ${media}: "oops" is not a column`)],
    [changed('"filename":"two.jpg",', ''), new RegExp(`Line ${media}: "filename" is missing`)],
    [changed('"filename":"two.jpg"', '"filename":"two.jpg'), /Line \d+/],
    [
      changed(/("filename":"two.jpg".*"owner_id":)\d+/, '$1424242'),
      new RegExp(`Line ${media}: this row of media refers to a missing row of users`),
    ],
    [changed(/"is_admin":1/, '"is_admin":0'), /This database has no administrator/],
    [changed(/"password_hash":"[^"]*"/, '"password_hash":"plain"'), /argon2id/],
    [changed('"media":[', '"shoes":['), /"shoes" is not a table/],
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

test('rows that would break a page or a login are refused with their line', async (context) => {
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
    // Signing in with this hash would take minutes and block every other user.
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

test('an importing administrator keeps the account of their username, and only their new password is valid', async (context) => {
  const earlier = await testApp(context)
  const head = await earlier.register('head')
  await earlier.register('boss')
  // In that database the administrator's email address is another user's, so only the username matches.
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
  assert.equal((await logIn('boss', 'correct horse')).statusCode, 401, 'the imported password is an ordinary user’s')
  assert.equal((await logIn('boss', 'battery staple')).json().isAdmin, true)
  assert.equal((await logIn('head', 'correct horse')).json().isAdmin, true, 'an administrator in the import stays one')
})

test('a reset keeps its administrator and the backups', async (context) => {
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

test('an imported collection does not get the visitors of a deleted one', async (context) => {
  // A fixed clock keeps midnight out of the test.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { admin } = await withLibrary(context)
  const summer = (await admin.post('/api/collections', { name: 'Summer' })).json()
  const document = JSON.parse((await admin.get('/api/admin/database/download')).body)
  const day = new Date().toISOString().slice(0, 10)
  // Older exports contain views of deleted collections.
  document.tables.share_views = [summer.id, summer.id + 1].map((id) => ({
    kind: 'collection',
    target_id: id,
    day,
    views: 5,
  }))
  const elsewhere = await (await testApp(context)).register()
  assert.equal((await uploadDatabase(elsewhere, JSON.stringify(document))).statusCode, 200)
  const winter = (await elsewhere.post('/api/collections', { name: 'Winter' })).json()
  assert.equal(winter.id, summer.id + 1)
  const { days } = (await elsewhere.get(`/api/collections/${winter.id}/statistics`)).json()
  assert.equal(days.at(-1).views, 0)
})

test('a user who loses their admin role or session during an import or restore replaces no library', async (context) => {
  const { product, admin, person } = await withLibrary(context)
  const { db, restoreGate, backupFolder } = product.services
  const setAdmin = (is_admin: 0 | 1) => db.updateTable('users').set({ is_admin }).where('id', '=', admin.id).execute()
  const endSessions = () => db.deleteFrom('sessions').where('user_id', '=', admin.id).execute()
  const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', admin.id).execute()
  const { body } = await admin.get('/api/admin/database/download')
  const { backup } = (await admin.post('/api/admin/backups/create')).json()
  const restore = `/api/admin/backups/${backup.id}/restore`
  const late = await person.addPicture('late.jpg')
  // Both are checked again after the request's guard, since an upload may take an hour.
  const { hold } = restoreGate
  const { loadManifest } = backupFolder
  let interfere: () => Promise<unknown>
  context.mock.method(restoreGate, 'hold', async () => {
    await interfere()
    return hold()
  })
  context.mock.method(backupFolder, 'loadManifest', async (id: string) => {
    await interfere()
    return loadManifest(id)
  })
  for (const [meanwhile, status] of [
    [() => setAdmin(0), 403],
    [endSessions, 401],
  ] as const) {
    interfere = meanwhile
    for (const ask of [
      () => uploadDatabase(admin, body),
      () => admin.post('/api/admin/database/reset'),
      () => admin.post(restore),
    ]) {
      const refusal = await ask()
      assert.equal(refusal.statusCode, status, refusal.body)
      await setAdmin(1)
      await endSessions()
      await db.insertInto('sessions').values(sessions).execute()
    }
  }
  await product.settled()
  assert.equal((await person.get(`/api/media/${late.id}`)).statusCode, 200)
})
