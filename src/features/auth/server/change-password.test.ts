import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { changeDuringPasswordCheck } from './concurrent-change.fixture.ts'
import { hashPassword } from './passwords.ts'
import { extendSession, loadSession } from './sessions.ts'

const [oldPassword, newPassword] = ['correct horse', 'battery staple']
const change = (person: TestUser, currentPassword = oldPassword, wanted = newPassword) =>
  person.put('/api/user/password', { currentPassword, newPassword: wanted })

test('a changed password replaces the old one, for administrators and others', async (context) => {
  const { register, visitor } = await testApp(context)
  for (const username of ['grace', 'ada']) {
    const person = await register(username)
    const answer = await change(person)
    assert.equal(answer.statusCode, 200)
    assert.deepEqual([answer.json().id, answer.json().isAdmin], [person.id, username === 'grace'])
    assert.equal((await visitor().post('/api/login', { username, password: oldPassword })).statusCode, 401)
    assert.equal((await visitor().post('/api/login', { username, password: newPassword })).statusCode, 200)
  }
})

test('changing the password renews this session, ends the account’s others, and no other user’s', async (context) => {
  const { register, visitor, services } = await testApp(context)
  const { timers } = context.mock
  timers.enable({ apis: ['Date'], now: Date.now() })
  const [ada, ben] = [await register('ada'), await register('ben')]
  const elsewhere = visitor()
  await elsewhere.post('/api/login', { username: 'ada', password: oldPassword })
  const stolen = visitor()
  for (const [name, value] of ada.cookies) stolen.cookies.set(name, value)
  // The session is due to be extended, and a concurrent request has just noticed that.
  timers.setTime(Date.now() + 2 * 24 * 3600_000)
  const [token] = stolen.cookies.values()
  const { extendUntil } = (await loadSession(services.db, token!))!
  await change(ada)
  await extendSession(services.db, token!, extendUntil!)
  assert.equal((await ada.get('/api/user')).json().username, 'ada')
  assert.equal((await elsewhere.get('/api/user')).statusCode, 401)
  const between = await stolen.get('/api/user')
  assert.deepEqual(
    [between.statusCode, between.headers['set-cookie']],
    [200, undefined],
    'running requests are not signed out',
  )
  timers.setTime(Date.now() + 10_000)
  assert.equal((await stolen.get('/api/user')).statusCode, 401, 'the old token soon expires')
  assert.equal((await ada.get('/api/user')).statusCode, 200)
  assert.equal((await ben.get('/api/user')).statusCode, 200)
})

test('a password is not changed without a session, with a wrong one or to an invalid one', async (context) => {
  const { register, visitor } = await testApp(context)
  const ada = await register('ada')
  assert.equal((await change(visitor())).statusCode, 401)
  const wrong = await change(ada, 'wrong horse')
  assert.equal(wrong.statusCode, 400)
  assert.deepEqual(wrong.json(), {
    message: 'The current password is incorrect.',
    code: 'invalid',
    field: 'currentPassword',
  })
  for (const wanted of ['12345', 'a'.repeat(257)]) {
    const answer = await change(ada, oldPassword, wanted)
    assert.deepEqual([answer.statusCode, answer.json().field], [400, 'newPassword'])
  }
  assert.equal((await ada.put('/api/user/password', { newPassword })).json().field, 'currentPassword')
  assert.equal((await ada.get('/api/user')).statusCode, 200)
  assert.equal((await visitor().post('/api/login', { username: 'ada', password: oldPassword })).statusCode, 200)
})

test('wrong current passwords and failed sign-ins share a limit, which the right password resets', async (context) => {
  const { register, visitor } = await testApp(context)
  const ada = await register('ada')
  const guess = async (times: number) => {
    for (let count = 0; count < times; count++) assert.equal((await change(ada, 'wrong horse')).statusCode, 400)
  }
  await guess(9)
  assert.equal((await change(ada, oldPassword, oldPassword)).statusCode, 200)
  await guess(9)
  await visitor().post('/api/login', { username: 'ADA', password: 'wrong horse' })
  const answer = await change(ada)
  assert.equal(answer.statusCode, 429)
  assert.equal(answer.json().message, 'Too many attempts. Please try again in 15 minutes.')
  assert.equal((await visitor().post('/api/login', { username: 'ada', password: oldPassword })).statusCode, 429)
  assert.equal((await ada.get('/api/user')).statusCode, 200, 'existing sessions continue')
})

test('a session allows ten guesses of its password, from any number of addresses', async (context) => {
  const { register } = await testApp(context)
  const ada = await register('ada')
  const tryFrom = (number: number, currentPassword: string) =>
    ada.send({
      method: 'PUT',
      url: '/api/user/password',
      payload: { currentPassword, newPassword },
      remoteAddress: `203.0.113.${number}`,
    })
  for (let number = 1; number <= 10; number++) assert.equal((await tryFrom(number, 'wrong horse')).statusCode, 400)
  assert.equal((await tryFrom(11, oldPassword)).statusCode, 429)
})

test('a password change does not undo a concurrent reset by an administrator', async (context) => {
  const product = await testApp(context)
  const { db } = product.services
  await product.register()
  const ada = await product.register('ada')
  const reset = await hashPassword('brand new')
  const account = { id: ada.id, username: 'ada' }
  await changeDuringPasswordCheck(db, account, `UPDATE users SET password_hash = '${reset}' WHERE id = ${ada.id}`)
  assert.equal((await change(ada)).statusCode, 400)
  const answer = await product.visitor().post('/api/login', { username: 'ada', password: 'brand new' })
  assert.equal(answer.statusCode, 200)
})
