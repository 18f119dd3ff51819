import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { whileCompared } from './meanwhile.fixture.ts'
import { hashPassword } from './passwords.ts'
import { extendSession, loadSession } from './sessions.ts'

const [oldPassword, newPassword] = ['correct horse', 'battery staple']
const change = (person: TestUser, currentPassword = oldPassword, wanted = newPassword) =>
  person.put('/api/user/password', { currentPassword, newPassword: wanted })

test('a person changes their password, administrator or not: the new one opens, the old one does not', async (context) => {
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

test('this session goes on under a new token; all others of the account end, and nobody else’s', async (context) => {
  const { register, visitor, services } = await testApp(context)
  const { timers } = context.mock
  timers.enable({ apis: ['Date'], now: Date.now() })
  const [ada, ben] = [await register('ada'), await register('ben')]
  const elsewhere = visitor()
  await elsewhere.post('/api/login', { username: 'ada', password: oldPassword })
  const stolen = visitor()
  for (const [name, value] of ada.cookies) stolen.cookies.set(name, value)
  // Due to be extended, were it not replaced; also where somebody has just found it to be due.
  timers.setTime(Date.now() + 2 * 24 * 3600_000)
  const [token] = stolen.cookies.values()
  const { extendUntil } = (await loadSession(services.db, token!))!
  await change(ada)
  await extendSession(services.db, token!, extendUntil!)
  assert.equal((await ada.get('/api/user')).json().username, 'ada')
  assert.equal((await elsewhere.get('/api/user')).statusCode, 401)
  const between = await stolen.get('/api/user')
  assert.deepEqual([between.statusCode, between.headers['set-cookie']], [200, undefined], 'nobody is led out')
  timers.setTime(Date.now() + 10_000)
  assert.equal((await stolen.get('/api/user')).statusCode, 401, 'the token from before is soon worth nothing')
  assert.equal((await ada.get('/api/user')).statusCode, 200)
  assert.equal((await ben.get('/api/user')).statusCode, 200)
})

test('nobody, a wrong current password and a new one that is too short change nothing', async (context) => {
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

test('wrong current passwords and failed logins are counted together, and the right one starts anew', async (context) => {
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
  assert.equal((await ada.get('/api/user')).statusCode, 200, 'whoever is in stays in')
})

test('who has a session guesses its password ten times in all, from however many addresses', async (context) => {
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

test('an administrator’s reset while the current password is compared is not undone', async (context) => {
  const product = await testApp(context)
  const { db } = product.services
  await product.register()
  const ada = await product.register('ada')
  const reset = await hashPassword('brand new')
  const account = { id: ada.id, username: 'ada' }
  await whileCompared(db, account, `UPDATE users SET password_hash = '${reset}' WHERE id = ${ada.id}`)
  assert.equal((await change(ada)).statusCode, 400)
  const answer = await product.visitor().post('/api/login', { username: 'ada', password: 'brand new' })
  assert.equal(answer.statusCode, 200)
})
