import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

const ann = { username: 'Ann', email: 'ann@example.com', password: 'correct horse' }
const ben = { username: 'Ben', email: 'ben@example.com', password: 'battery staple' }

test('the first account is the administrator, and visitors learn only whether theirs would be the first', async (context) => {
  const { visitor } = await testApp(context)
  const isFirst = async () => (await visitor().get('/api/registration')).json()
  assert.deepEqual(await isFirst(), { isFirst: true, isOpen: true })
  const first = await visitor().post('/api/register', ann)
  assert.equal(first.statusCode, 201)
  assert.equal(first.json().isAdmin, true)
  assert.deepEqual(Object.keys(first.json()).sort(), ['createdAt', 'email', 'id', 'isAdmin', 'preferences', 'username'])
  assert.deepEqual(await isFirst(), { isFirst: false, isOpen: true })
  const second = await visitor().post('/api/register', ben)
  assert.equal(second.json().isAdmin, false)
})

test('of concurrent first registrations exactly one is the administrator', async (context) => {
  const { visitor } = await testApp(context)
  const answers = await Promise.all(
    ['one', 'two', 'three', 'four'].map((username) =>
      visitor().post('/api/register', { ...ann, username, email: `${username}@example.com` }),
    ),
  )
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [201, 201, 201, 201],
  )
  assert.equal(answers.filter((answer) => answer.json().isAdmin).length, 1)
})

test('with closed registration only the first account can be created, even by concurrent requests', async (context) => {
  const { visitor } = await testApp(context, { REGISTRATION: 'closed' })
  const registration = async () => (await visitor().get('/api/registration')).json()
  assert.deepEqual(await registration(), { isFirst: true, isOpen: true })
  const answers = await Promise.all([visitor().post('/api/register', ann), visitor().post('/api/register', ben)])
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 403])
  assert.deepEqual(await registration(), { isFirst: false, isOpen: false }, 'the page no longer offers registration')
  const third = await visitor().post('/api/register', { ...ann, username: 'Cleo', email: 'cleo@example.com' })
  assert.equal(third.statusCode, 403)
  assert.equal(third.json().message, 'Registration is closed. Please ask an administrator for an account.')
})

test('a username that differs only in case or composition is taken', async (context) => {
  const { visitor } = await testApp(context)
  await visitor().post('/api/register', { ...ann, username: 'Zoë' })
  for (const username of ['zoë', 'ZOË', 'Zoe\u0308', ' Zoë ']) {
    const answer = await visitor().post('/api/register', { ...ben, username })
    assert.equal(answer.statusCode, 409, username)
    assert.deepEqual(answer.json(), {
      message: 'This username is already taken.',
      code: 'conflict',
      field: 'username',
    })
  }
})

test('an email address that differs only in case is taken', async (context) => {
  const { visitor } = await testApp(context)
  await visitor().post('/api/register', ann)
  const answer = await visitor().post('/api/register', { ...ben, email: 'ANN@Example.com' })
  assert.equal(answer.statusCode, 409)
  assert.equal(answer.json().field, 'email')
})

test('of two concurrent registrations of one name one succeeds', async (context) => {
  const { visitor, services } = await testApp(context)
  const answers = await Promise.all([
    visitor().post('/api/register', { ...ann, email: 'one@example.com' }),
    visitor().post('/api/register', { ...ann, email: 'two@example.com' }),
  ])
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409])
  assert.equal((await services.db.selectFrom('users').selectAll().execute()).length, 1)
})

const refused: [field: string, why: string, draft: object][] = [
  ['username', 'two characters', { ...ann, username: 'ab' }],
  ['username', 'two characters and spaces', { ...ann, username: ' ab ' }],
  ['username', '65 characters', { ...ann, username: 'a'.repeat(65) }],
  ['username', 'a line break inside', { ...ann, username: 'Ann\nBen' }],
  ['username', 'Hangul fillers', { ...ann, username: '\u3164\u3164\u3164' }],
  ['username', 'empty Braille patterns', { ...ann, username: '\u2800\u2800\u2800' }],
  ['username', 'a filler after a name', { ...ann, username: 'Ann\u3164' }],
  ['username', 'a zero-width joiner inside', { ...ann, username: 'An\u200dn' }],
  ['username', 'combining marks alone', { ...ann, username: '\u0301\u0301\u0301' }],
  ['username', 'variation selectors alone', { ...ann, username: '\ufe0f\ufe0f\ufe0f' }],
  ['username', 'missing', { email: ann.email, password: ann.password }],
  ['username', 'a number', { ...ann, username: 12345 }],
  ['email', 'no @', { ...ann, email: 'ann.example.com' }],
  ['email', 'missing', { username: ann.username, password: ann.password }],
  ['password', 'five characters', { ...ann, password: '12345' }],
  ['password', '257 characters', { ...ann, password: 'a'.repeat(257) }],
]
test('an account with an invalid field is refused with the name of the field', async (context) => {
  const { visitor } = await testApp(context)
  for (const [field, why, draft] of refused) {
    const answer = await visitor().post('/api/register', draft)
    assert.equal(answer.statusCode, 400, `${field}: ${why}`)
    assert.equal(answer.json().code, 'invalid')
    assert.equal(answer.json().field, field)
    assert.match(answer.json().message, /\.$/)
  }
})

test('a username of 3 or of 64 characters and a password of 6 are accepted', async (context) => {
  const { visitor } = await testApp(context)
  const short = { username: 'ann', email: 'a@example.com', password: '123456' }
  const long = { username: 'n'.repeat(64), email: 'b@example.com', password: 'p'.repeat(256) }
  assert.equal((await visitor().post('/api/register', short)).statusCode, 201)
  assert.equal((await visitor().post('/api/register', long)).statusCode, 201)
  assert.equal((await visitor().post('/api/login', long)).statusCode, 200)
})

test('usernames of other scripts and with emoji are accepted', async (context) => {
  const { visitor } = await testApp(context)
  for (const [index, username] of ['김민준', 'سارة', 'Zoe\u0308', 'I \u2764\ufe0f you', 'นภา'].entries()) {
    const answer = await visitor().post('/api/register', { ...ann, username, email: `${index}@example.com` })
    assert.equal(answer.statusCode, 201, username)
  }
})

test('signing in ignores the case of the name and returns the account', async (context) => {
  const { visitor } = await testApp(context)
  const registered = await visitor().post('/api/register', ann)
  const answer = await visitor().post('/api/login', { username: ' aNN ', password: ann.password })
  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), registered.json())
})

test('a wrong name and a wrong password get the same response', async (context) => {
  const { visitor } = await testApp(context)
  await visitor().post('/api/register', ann)
  const wrongPassword = await visitor().post('/api/login', { username: 'Ann', password: 'wrong horse' })
  const wrongName = await visitor().post('/api/login', { username: 'Unknown', password: 'wrong horse' })
  assert.equal(wrongPassword.statusCode, 401)
  assert.equal(wrongName.statusCode, 401)
  assert.equal(wrongPassword.body, wrongName.body)
  assert.equal(wrongPassword.cookies.length + wrongName.cookies.length, 0)
})

test('an unknown name costs as much work as a wrong password, so timing reveals nothing', async () => {
  const stored = await hashPassword('correct horse')
  const workOf = async (passwordHash: string | undefined) => {
    const before = process.cpuUsage()
    assert.equal(await verifyPassword('wrong horse', passwordHash), false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const work = { known: Infinity, unknown: Infinity }
  for (let round = 0; round < 3; round++) {
    // Other work in this process can only add to the time, so the minimum counts.
    work.known = Math.min(work.known, await workOf(stored))
    work.unknown = Math.min(work.unknown, await workOf(undefined))
  }
  assert.ok(work.unknown > work.known / 4, JSON.stringify(work))
})

test('passwords are stored as argon2id', async (context) => {
  const { visitor, services } = await testApp(context)
  await visitor().post('/api/register', ann)
  const { password_hash } = await services.db.selectFrom('users').selectAll().executeTakeFirstOrThrow()
  assert.match(password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('unknown keys of a request are dropped', async (context) => {
  const { visitor } = await testApp(context)
  await visitor().post('/api/register', ann)
  const answer = await visitor().post('/api/register', { ...ben, isAdmin: true, is_admin: 1, id: 77, role: 'admin' })
  assert.equal(answer.statusCode, 201)
  assert.equal(answer.json().isAdmin, false)
  assert.notEqual(answer.json().id, 77)
})

test('the storage summary of a new account is empty and has the quota', async (context) => {
  const { register, visitor } = await testApp(context, { QUOTA_GB: '2.5' })
  const user = await register()
  assert.deepEqual((await user.get('/api/user/storage')).json(), {
    usedBytes: 0,
    totalFiles: 0,
    quotaBytes: 2.5 * 1024 ** 3,
  })
  assert.equal((await visitor().get('/api/user/storage')).statusCode, 401)
})

test('what the interface remembers is stored for the user alone, and the rest of it is kept', async (context) => {
  const { register } = await testApp(context)
  const [ann, ben] = [await register(), await register()]
  assert.deepEqual((await ann.get('/api/user')).json().preferences, {})
  assert.equal((await ann.patch('/api/user/preferences', { layout: 'list', pageSize: 100 })).statusCode, 200)
  const changed = await ann.patch('/api/user/preferences', { pageSize: 25, isPanelOpen: false })
  assert.deepEqual(changed.json(), { layout: 'list', pageSize: 25, isPanelOpen: false })
  assert.deepEqual((await ann.get('/api/user')).json().preferences, changed.json())
  assert.deepEqual((await ben.get('/api/user')).json().preferences, {})
})

test('preferences that are too many, too long or of another type are refused and change nothing', async (context) => {
  const { register } = await testApp(context)
  const ann = await register()
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const many = Object.fromEntries([...letters, ...letters.toUpperCase()].map((letter) => [letter, 1]))
  for (const wrong of [
    many,
    { layout: 'x'.repeat(41) },
    { layout: { deep: 1 } },
    { 'a b': 1 },
    [1],
    { aiLanguage: 'klingonese' },
    { aiLanguage: 1 },
  ]) {
    const answer = await ann.patch('/api/user/preferences', wrong)
    assert.equal(answer.statusCode, 400, answer.body)
  }
  assert.deepEqual((await ann.get('/api/user')).json().preferences, {})
})
