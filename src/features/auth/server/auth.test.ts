import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '#tests/support/test-app.ts'

const ann = { username: 'Ann', email: 'ann@example.com', password: 'correct horse' }

test('the first account is the administrator, the second is not', async (context) => {
  const { visitor } = await testApp(context)
  const first = await visitor().post('/api/register', ann)
  assert.equal(first.statusCode, 201)
  assert.equal(first.json().isAdmin, true)
  assert.equal('password' in first.json(), false)
  const second = await visitor().post('/api/register', {
    username: 'Ben',
    email: 'ben@example.com',
    password: 'correct horse',
  })
  assert.equal(second.json().isAdmin, false)
})

test('registering signs in, and logging out ends the session', async (context) => {
  const { visitor } = await testApp(context)
  const browser = visitor()
  const { cookies } = await browser.post('/api/register', ann)
  assert.equal(cookies[0]?.httpOnly, true)
  assert.equal(cookies[0]?.sameSite, 'Lax')
  assert.equal((await browser.get('/api/user')).json().username, 'Ann')
  const kept = new Map(browser.cookies)
  assert.equal((await browser.post('/api/logout')).statusCode, 200)
  assert.equal((await browser.get('/api/user')).statusCode, 401)
  for (const [name, value] of kept) browser.cookies.set(name, value)
  assert.equal((await browser.get('/api/user')).statusCode, 401, 'the old cookie is worth nothing')
})
