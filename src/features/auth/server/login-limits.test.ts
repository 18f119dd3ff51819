import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { addressGroup } from './address-group.ts'

const ann = { username: 'Ann', email: 'ann@example.com', password: 'correct horse' }
const ben = { username: 'Ben', email: 'ben@example.com', password: 'battery staple' }

async function guess({ visitor }: TestApp, times: number, username = 'Ann') {
  for (let count = 0; count < times; count++) {
    const answer = await visitor().post('/api/login', { username, password: 'wrong horse' })
    assert.equal(answer.statusCode, 401)
  }
}

const logInFrom = ({ visitor }: TestApp, remoteAddress: string, password: string) =>
  visitor().send({ method: 'POST', url: '/api/login', payload: { username: 'Ann', password }, remoteAddress })

test('ten wrong passwords lock a name in any letter case, and other names can sign in', async (context) => {
  const product = await testApp(context)
  const { visitor } = product
  await visitor().post('/api/register', ann)
  await visitor().post('/api/register', ben)
  await guess(product, 10)
  for (const username of ['Ann', 'ANN']) {
    const answer = await visitor().post('/api/login', { ...ann, username })
    assert.equal(answer.statusCode, 429)
    assert.equal(answer.json().code, 'too-many-attempts')
    assert.equal(answer.json().message, 'Too many attempts. Please try again in 15 minutes.')
    const seconds = Number(answer.headers['retry-after'])
    assert.ok(seconds > 800 && seconds <= 900, `Expected about 900 seconds, received ${seconds}`)
  }
  assert.equal((await visitor().post('/api/login', ben)).statusCode, 200)
})

test('wrong passwords lock a name for the guesser’s address, and not for its owner elsewhere', async (context) => {
  const product = await testApp(context)
  await product.visitor().post('/api/register', ann)
  await guess(product, 10)
  assert.equal((await logInFrom(product, '127.0.0.1', ann.password)).statusCode, 429)
  assert.equal((await logInFrom(product, '203.0.113.7', ann.password)).statusCode, 200)
})

test('a hundred wrong passwords lock a name, except where its owner has signed in before', async (context) => {
  const product = await testApp(context)
  await product.visitor().post('/api/register', ann)
  const signedIn = product.visitor()
  await signedIn.post('/api/login', ann)
  const home = '203.0.113.7'
  assert.equal((await logInFrom(product, home, ann.password)).statusCode, 200)
  assert.equal((await logInFrom(product, '198.51.100.1', 'wrong horse')).statusCode, 401)
  const { db } = product.services
  const places = await db.selectFrom('attempts').select('name').where('name', 'like', 'login:known:%').execute()
  assert.equal(places.length, 2)
  assert.doesNotMatch(JSON.stringify(places), /203\.0\.113|127\.0\.0|ann/i, 'the database does not reveal addresses')
  await db.updateTable('attempts').set({ count: 99 }).where('name', '=', 'login:user:ann').execute()
  assert.equal((await logInFrom(product, '198.51.100.2', 'wrong horse')).statusCode, 401)
  assert.equal((await logInFrom(product, '198.51.100.3', ann.password)).statusCode, 429)
  assert.equal((await logInFrom(product, home, ann.password)).statusCode, 200)
  const changed = await signedIn.put('/api/user/password', { currentPassword: ann.password, newPassword: 'new horse' })
  assert.equal(changed.statusCode, 200, 'a signed-in user can still change the password')
  for (let count = 0; count < 10; count++) assert.equal((await logInFrom(product, home, 'wrong horse')).statusCode, 401)
  assert.equal(
    (await logInFrom(product, home, 'new horse')).statusCode,
    429,
    'ten wrong passwords lock a known address too',
  )
  const later = Date.now() + 31 * 24 * 3600_000
  context.mock.timers.enable({ apis: ['Date'], now: later })
  const inAnHour = { resets_at: later + 600_000, count: 100 }
  await db.updateTable('attempts').set(inAnHour).where('name', '=', 'login:user:ann').execute()
  assert.equal((await logInFrom(product, home, 'new horse')).statusCode, 429, 'a known address expires')
})

test('unknown names are locked too, so the limit reveals nothing', async (context) => {
  const product = await testApp(context)
  await guess(product, 10, 'Unknown')
  const answer = await product.visitor().post('/api/login', { username: 'Unknown', password: 'wrong horse' })
  assert.equal(answer.statusCode, 429)
})

test('concurrent guesses cannot exceed the limit', async (context) => {
  const { visitor } = await testApp(context)
  await visitor().post('/api/register', ann)
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => visitor().post('/api/login', { username: 'Ann', password: 'wrong horse' })),
  )
  assert.equal(answers.filter(({ statusCode }) => statusCode === 401).length, 10)
})

test('attempts counted by a clock that was ahead do not lock a name once it is right', async (context) => {
  const product = await testApp(context)
  await product.visitor().post('/api/register', ann)
  await guess(product, 10)
  const ahead = Date.now() + 40 * 24 * 3600_000
  await product.services.db.updateTable('attempts').set({ resets_at: ahead }).execute()
  await guess(product, 10)
  assert.equal((await product.visitor().post('/api/login', ann)).statusCode, 429, 'what is counted now does')
})

test('the limit survives a restart and ends after its time', async (context) => {
  const product = await testApp(context)
  await product.visitor().post('/api/register', ann)
  await guess(product, 10)
  await product.restart()
  assert.equal((await product.visitor().post('/api/login', ann)).statusCode, 429)
  await product.services.db.updateTable('attempts').set({ resets_at: Date.now() }).execute()
  assert.equal((await product.visitor().post('/api/login', ann)).statusCode, 200)
})

test('the right password resets the count', async (context) => {
  const product = await testApp(context)
  await product.visitor().post('/api/register', ann)
  await guess(product, 9)
  assert.equal((await product.visitor().post('/api/login', ann)).statusCode, 200)
  await guess(product, 9)
  assert.equal((await product.visitor().post('/api/login', ann)).statusCode, 200)
})

test('a hundred wrong attempts lock an address for every name, and right ones do not count', async (context) => {
  const product = await testApp(context)
  const { visitor } = product
  const { db } = product.services
  await visitor().post('/api/register', ann)
  const later = { resets_at: Date.now() + 600_000 }
  const tried = ['login:address:127.0.0.1', 'login:user:ann'].map((name) => ({ name, count: 99, ...later }))
  await db.insertInto('attempts').values(tried).execute()
  for (let count = 0; count < 2; count++) assert.equal((await visitor().post('/api/login', ann)).statusCode, 200)
  await db.deleteFrom('attempts').where('name', 'like', 'login:known:%').execute()
  assert.equal((await logInFrom(product, '203.0.113.7', ann.password)).statusCode, 200)
  await guess(product, 1, 'Ben')
  await db
    .updateTable('attempts')
    .set({ resets_at: Date.now() + 60_000 })
    .execute()
  const answer = await visitor().post('/api/login', ann)
  assert.equal(answer.statusCode, 429)
  assert.equal(answer.json().message, 'Too many attempts. Please try again in a minute.')
  const elsewhere = await logInFrom(product, '203.0.113.8', ann.password)
  assert.equal(elsewhere.statusCode, 200, 'what a closed address tries does not count against the name')
})

test('registrations per address are limited', async (context) => {
  const { visitor, services } = await testApp(context)
  const later = { resets_at: Date.now() + 60_000 }
  await services.db
    .insertInto('attempts')
    .values({ name: 'register:127.0.0.1', count: 100, ...later })
    .execute()
  const answer = await visitor().post('/api/register', ann)
  assert.equal(answer.statusCode, 429)
  assert.ok(Number(answer.headers['retry-after']) > 0)
})

test('only the address from a trusted proxy counts', async (context) => {
  const trusting = await testApp(context, { TRUST_PROXY: '127.0.0.1' })
  const wary = await testApp(context)
  const names = async ({ visitor, services }: TestApp) => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    await visitor().send({ method: 'POST', url: '/api/login', payload: { username: 'x', password: 'y' }, headers })
    const rows = await services.db.selectFrom('attempts').select('name').orderBy('name').execute()
    return rows.map(({ name }) => name)
  }
  assert.ok((await names(trusting)).includes('login:address:203.0.113.9'))
  assert.ok((await names(wary)).includes('login:address:127.0.0.1'))
})

test('an IPv6 network counts as one address', () => {
  assert.equal(addressGroup('203.0.113.9'), '203.0.113.9')
  assert.equal(addressGroup('::ffff:203.0.113.9'), '203.0.113.9')
  assert.equal(addressGroup('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(addressGroup('2001:db8:1:2::6'), '2001:db8:1:2::/64')
  assert.equal(addressGroup('2001:db8::6'), '2001:db8:0:0::/64')
  assert.equal(addressGroup('::1'), '0:0:0:0::/64')
  assert.equal(addressGroup('2001:db8:0:0:1::'), addressGroup('2001:db8::2'))
  // Some proxies include the port, which differs for each connection.
  assert.equal(addressGroup('203.0.113.9:50123'), '203.0.113.9')
  assert.equal(addressGroup('[2001:db8:1:2::6]:50123'), '2001:db8:1:2::/64')
})

test('registrations of one name are limited across addresses', async (context) => {
  const { visitor, services } = await testApp(context)
  await visitor().post('/api/register', ann)
  const ask = (number: number, username = 'ANN') =>
    visitor().send({
      method: 'POST',
      url: '/api/register',
      payload: { ...ben, username },
      remoteAddress: `203.0.113.${number}`,
    })
  assert.equal((await ask(1)).statusCode, 409)
  await services.db.updateTable('attempts').set({ count: 10 }).where('name', '=', 'register:user:ann').execute()
  const late = await ask(2)
  assert.equal(late.statusCode, 429)
  assert.ok(Number(late.headers['retry-after']) > 800)
  assert.equal((await ask(3, ben.username)).statusCode, 201, 'another name is not affected')
})
