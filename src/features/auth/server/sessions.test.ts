import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import { changeDuringPasswordCheck } from './concurrent-change.fixture.ts'

const ann = { username: 'Ann', email: 'ann@example.com', password: 'correct horse' }
const dayMs = 24 * 3600_000

test('registering signs in, and signing out ends the session', async (context) => {
  const { visitor } = await testApp(context)
  const browser = visitor()
  await browser.post('/api/register', ann)
  assert.equal((await browser.get('/api/user')).json().username, 'Ann')
  const kept = new Map(browser.cookies)
  const answer = await browser.post('/api/logout')
  assert.equal(answer.statusCode, 200)
  assert.deepEqual([answer.cookies[0]?.name, answer.cookies[0]?.value], ['albumen_session', ''])
  assert.equal((await browser.get('/api/user')).statusCode, 401)
  for (const [name, value] of kept) browser.cookies.set(name, value)
  assert.equal((await browser.get('/api/user')).statusCode, 401, 'the old cookie is worth nothing')
  assert.equal((await browser.post('/api/logout')).statusCode, 200, 'logging out twice is no fault')
})

/** A cookie's lifetime is in whole seconds, which would be one less on a slow machine. */
const stopClock = (context: TestContext) => context.mock.timers.enable({ apis: ['Date'], now: Date.now() })

test('the session cookie is HttpOnly and SameSite, and lasts for 30 days', async (context) => {
  stopClock(context)
  const { visitor } = await testApp(context)
  const { cookies } = await visitor().post('/api/register', ann)
  assert.equal(cookies.length, 1)
  const { value, ...attributes } = cookies[0]!
  assert.match(value, /^[\w-]{43}$/)
  assert.deepEqual(attributes, {
    name: 'albumen_session',
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: 30 * 24 * 3600,
  })
})

test('over https the session cookie is Secure and has the __Host- prefix', async (context) => {
  const { visitor } = await testApp(context, { TRUST_PROXY: '127.0.0.1' })
  const browser = visitor()
  const headers = { 'x-forwarded-proto': 'https' }
  const { cookies } = await browser.send({ method: 'POST', url: '/api/register', payload: ann, headers })
  assert.equal(cookies[0]?.name, '__Host-albumen_session')
  assert.equal(cookies[0]?.secure, true)
  assert.equal((await browser.get('/api/user', headers)).statusCode, 200)
  assert.equal((await browser.get('/api/user')).statusCode, 401, 'the name is not looked for on plain http')
})

test('behind an untrusted proxy, PUBLIC_URL determines whether a host uses https', async (context) => {
  const { visitor } = await testApp(context, { PUBLIC_URL: 'https://Photos.Example:443' })
  const [outside, home] = [visitor(), visitor()]
  const headers = { host: 'photos.example', origin: 'https://photos.example' }
  const { cookies } = await outside.send({ method: 'POST', url: '/api/register', payload: ann, headers })
  assert.deepEqual([cookies[0]?.name, cookies[0]?.secure], ['__Host-albumen_session', true])
  assert.equal((await outside.get('/api/user', headers)).statusCode, 200)
  const atHome = await home.post('/api/login', { username: ann.username, password: ann.password })
  assert.deepEqual([atHome.cookies[0]?.name, atHome.cookies[0]?.secure], ['albumen_session', undefined])
})

test('only the hash of the token is stored', async (context) => {
  const { visitor, services } = await testApp(context)
  const browser = visitor()
  await browser.post('/api/register', ann)
  const token = browser.cookies.get('albumen_session')!
  const { token_hash } = await services.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
  assert.equal(token_hash, createHash('sha256').update(token).digest('hex'))
  browser.cookies.set('albumen_session', token_hash)
  assert.equal((await browser.get('/api/user')).statusCode, 401)
})

test('an active session is extended, at most once a day', async (context) => {
  stopClock(context)
  const { visitor, services } = await testApp(context)
  const browser = visitor()
  await browser.post('/api/register', ann)
  assert.equal((await browser.get('/api/user')).cookies.length, 0, 'a young session is left alone')
  await services.db
    .updateTable('sessions')
    .set({ expires_at: Date.now() + 28 * dayMs })
    .execute()
  const answer = await browser.get('/api/user')
  assert.equal(answer.cookies[0]?.maxAge, 30 * 24 * 3600)
  assert.equal(answer.cookies[0]?.value, browser.cookies.get('albumen_session'))
  const { expires_at } = await services.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
  assert.equal(expires_at, Date.now() + 30 * dayMs)
  assert.equal((await browser.get('/api/user')).cookies.length, 0)
})

test('a session ends a year after its sign-in, even when it is active', async (context) => {
  stopClock(context)
  const { visitor, services } = await testApp(context)
  const browser = visitor()
  await browser.post('/api/register', ann)
  const used = (createdAt: number, expiresAt: number) =>
    services.db.updateTable('sessions').set({ created_at: createdAt, expires_at: expiresAt }).execute()
  await used(Date.now() - 363 * dayMs, Date.now() + dayMs / 2)
  const answer = await browser.get('/api/user')
  assert.equal(answer.cookies[0]?.maxAge, 2 * 24 * 3600)
  assert.equal((await browser.get('/api/user')).cookies.length, 0)
  const { expires_at } = await services.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
  assert.equal(expires_at, Date.now() + 2 * dayMs)
  await used(Date.now() - 365 * dayMs, Date.now() + 5000)
  assert.equal((await browser.get('/api/user')).cookies.length, 0, 'in its last moment it is not extended')
})

test('an expired session is refused, and deleted along with old attempts', async (context) => {
  const { visitor, services, settled } = await testApp(context)
  const browser = visitor()
  await browser.post('/api/register', ann)
  await services.db.updateTable('sessions').set({ expires_at: Date.now() }).execute()
  assert.equal((await browser.get('/api/user')).statusCode, 401)
  const attempts = [-1, 60_000].map((ms) => ({ name: `${ms} ms`, count: 1, resets_at: Date.now() + ms }))
  await services.db.deleteFrom('attempts').execute()
  await services.db.insertInto('attempts').values(attempts).execute()
  await services.jobs.enqueue(services.db, 'tidy-accounts', {})
  await settled()
  assert.equal((await services.db.selectFrom('sessions').selectAll().execute()).length, 0)
  const left = await services.db.selectFrom('attempts').select('name').execute()
  assert.deepEqual(left, [{ name: '60000 ms' }])
})

test('signing in or registering again ends the browser’s previous session', async (context) => {
  const { visitor } = await testApp(context)
  const browser = visitor()
  await browser.post('/api/register', ann)
  for (const [call, body] of [
    ['/api/login', ann],
    ['/api/register', { ...ann, username: 'Ben', email: 'ben@example.com' }],
  ] as const) {
    const earlier = visitor()
    earlier.cookies.set('albumen_session', browser.cookies.get('albumen_session')!)
    assert.equal((await earlier.get('/api/user')).statusCode, 200)
    await browser.post(call, body)
    assert.equal((await earlier.get('/api/user')).statusCode, 401)
    assert.equal((await browser.get('/api/user')).statusCode, 200)
  }
})

test('sessions survive a restart', async (context) => {
  const product = await testApp(context)
  const user = await product.register()
  await product.restart()
  assert.equal((await user.get('/api/user')).json().id, user.id)
})

test('a visitor without a session or with an invented token gets 401', async (context) => {
  const { visitor } = await testApp(context)
  const stranger = visitor()
  const answer = await stranger.get('/api/user')
  assert.equal(answer.statusCode, 401)
  assert.deepEqual(answer.json(), { message: 'Please sign in first.', code: 'unauthenticated' })
  for (const token of ['', 'a'.repeat(43), "' OR 1=1 --", '%00']) {
    stranger.cookies.set('albumen_session', token)
    assert.equal((await stranger.get('/api/user')).statusCode, 401, token)
  }
})

test('permissions are read again on each request', async (context) => {
  const { register, services } = await testApp(context)
  const user = await register()
  assert.equal((await user.get('/api/user')).json().isAdmin, true)
  await services.db.updateTable('users').set({ is_admin: 0 }).execute()
  assert.equal((await user.get('/api/user')).json().isAdmin, false)
  await services.db.deleteFrom('users').execute()
  assert.equal((await user.get('/api/user')).statusCode, 401)
})

test('a password that is reset or deleted while it is compared opens no session', async (context) => {
  const product = await testApp(context)
  const { db } = product.services
  await product.register()
  for (const change of ["UPDATE users SET password_hash = 'of another password'", 'DELETE FROM users']) {
    const person = await product.register()
    const { id, username } = (await person.get('/api/user')).json()
    await person.post('/api/logout')
    await changeDuringPasswordCheck(db, { id, username }, `${change} WHERE id = ${id}`)
    const visitor = product.visitor()
    const answer = await visitor.post('/api/login', { username, password: 'correct horse' })
    assert.deepEqual([answer.statusCode, answer.json().message], [401, 'The username or password is incorrect.'])
    assert.equal((await visitor.get('/api/user')).statusCode, 401)
    assert.deepEqual(await db.selectFrom('sessions').select('user_id').where('user_id', '=', person.id).execute(), [])
  }
})

test('a user who loses their session or role while their request arrives changes nothing', async (context) => {
  const product = await testApp(context)
  const { db } = product.services
  const admin = await product.register()
  const demote = () => db.updateTable('users').set({ is_admin: 0 }).execute()
  const endSessions = () => db.deleteFrom('sessions').execute()
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  for (const [url, body, befall, status] of [
    ['/api/admin/backup-frequency', { frequency: 'weekly' }, demote, 403],
    ['/api/collections', { name: 'Late' }, endSessions, 401],
  ] as const) {
    const text = JSON.stringify(body)
    async function* slowly() {
      yield text.slice(0, 5)
      await befall()
      context.mock.timers.tick(30_000)
      yield text.slice(5)
    }
    const headers = { 'content-type': 'application/json', 'content-length': String(text.length) }
    const payload = Readable.from(slowly())
    const answer = await admin.send({ method: 'POST', url, headers, payload })
    assert.equal(answer.statusCode, status, answer.body)
  }
  assert.deepEqual(await db.selectFrom('collections').select('name').execute(), [])
})
