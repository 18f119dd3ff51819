import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const ann = { username: 'Ann', email: 'ann@example.com', password: 'correct horse' }
const ben = { username: 'Ben', email: 'ben@example.com', password: 'battery staple' }

/** Registers as a browser at that address would. */
const registerAt = (
  browser: TestUser,
  host: string,
  { payload = ann, remoteAddress = '127.0.0.1', scheme = 'http' } = {},
) => {
  const headers = { host, origin: `${scheme}://${host}`, 'sec-fetch-site': 'same-origin' }
  return browser.send({ method: 'POST', url: '/api/register', payload, headers, remoteAddress })
}

test('a website cannot register the first account through DNS rebinding', async (context) => {
  const { visitor } = await testApp(context)
  for (const remoteAddress of ['127.0.0.1', '192.168.1.20', '172.17.0.1']) {
    const answer = await registerAt(visitor(), 'rebound.attacker.com:3000', { remoteAddress })
    assert.equal(answer.statusCode, 403)
    assert.match(answer.json().message, /localhost .* PUBLIC_URL/)
  }
  assert.equal((await visitor().get('/api/registration')).json().isFirst, true)
  assert.equal((await registerAt(visitor(), 'localhost:3000')).json().isAdmin, true)
  const member = await registerAt(visitor(), 'photos.family.com:3000', { payload: ben })
  assert.deepEqual([member.statusCode, member.json().isAdmin], [201, false], 'later accounts are made under any name')
})

const ownNames = [
  '127.0.0.1:3000',
  '[::1]:3000',
  'nas:3000',
  'nas.local',
  'photos.home.arpa',
  'nas.fritz.box',
  'localhost.',
]
for (const host of ownNames) {
  test(`the first account can be created at ${host}`, async (context) => {
    const { visitor } = await testApp(context)
    assert.equal((await registerAt(visitor(), host)).statusCode, 201)
  })
}

test('the first account can be created at a public name from the internet, or when a setting names it', async (context) => {
  const host = 'photos.family.com'
  const open = await testApp(context)
  assert.equal((await registerAt(open.visitor(), host, { remoteAddress: '8.8.8.8' })).statusCode, 201)
  const tunnelled = await testApp(context)
  assert.equal((await registerAt(tunnelled.visitor(), host, { scheme: 'https' })).statusCode, 201)
  const named = await testApp(context, { PUBLIC_URL: `https://${host}` })
  assert.equal((await registerAt(named.visitor(), host)).statusCode, 201)
  const behindProxy = await testApp(context, { TRUST_PROXY: 'loopback' })
  assert.equal((await registerAt(behindProxy.visitor(), host)).statusCode, 201)
  const byProgram = await testApp(context)
  assert.equal(
    (await byProgram.visitor().send({ method: 'POST', url: '/api/register', payload: ann, headers: { host } }))
      .statusCode,
    201,
  )
})
