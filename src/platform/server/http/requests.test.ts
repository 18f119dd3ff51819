import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { testApp } from '#tests/support/test-app.ts'

const login = { method: 'POST', url: '/api/login' } as const
const credentials = { username: 'Ann', password: 'correct horse' }
const json = { 'content-type': 'application/json' }

test('broken JSON is refused with a message', async (context) => {
  const { app } = await testApp(context)
  for (const payload of ['{', '{"username": }', 'username=Ann', '{"username":"a"} {}']) {
    const answer = await app.inject({ ...login, headers: json, payload })
    assert.equal(answer.statusCode, 400, payload)
    assert.deepEqual(answer.json(), { message: 'The request is not valid JSON.', code: 'invalid' })
  }
})

test('JSON with a __proto__ key is refused', async (context) => {
  const { app } = await testApp(context)
  for (const payload of ['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}']) {
    const answer = await app.inject({ ...login, headers: json, payload })
    assert.deepEqual([answer.statusCode, answer.json().message], [400, 'The request is not valid JSON.'])
  }
})

test('a JSON call refuses other content types', async (context) => {
  const { app } = await testApp(context)
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense']
  for (const type of types) {
    const payload = JSON.stringify(credentials)
    const answer = await app.inject({ ...login, headers: { 'content-type': type }, payload })
    assert.equal(answer.statusCode, 415, type)
    assert.deepEqual(answer.json(), { message: 'This call accepts application/json.', code: 'unsupported-type' })
  }
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  assert.equal((await app.inject({ ...login, headers, payload: JSON.stringify(credentials) })).statusCode, 401)
})

test('a missing body is answered with the name of the missing field', async (context) => {
  const { app } = await testApp(context)
  for (const request of [login, { ...login, headers: json, payload: '' }, { ...login, payload: {} }]) {
    const answer = await app.inject(request)
    assert.equal(answer.statusCode, 400)
    assert.equal(answer.json().field, 'username')
    assert.equal(answer.json().message, 'username: Please enter your username.')
  }
})

test('every validation error has a readable message, even if the contract defines none', async (context) => {
  const { register } = await testApp(context)
  const user = await register()
  const faults: [method: 'GET' | 'POST' | 'PATCH', url: string, body: object | undefined, message: string][] = [
    ['POST', '/api/media/bulk-delete', [7], 'The request must be a JSON object.'],
    ['POST', '/api/media/bulk-delete', { mediaIds: [true] }, 'mediaIds.0: must be a number'],
    ['POST', '/api/media/bulk-delete', { mediaIds: [[7]] }, 'mediaIds.0: must be a number'],
    ['POST', '/api/media/bulk-description', { mediaIds: [7] }, 'description: is missing'],
    ['POST', '/api/media/bulk-description', { mediaIds: [7], description: 7 }, 'description: must be text'],
    ['POST', '/api/media/bulk-add-tags', { mediaIds: [7], tags: 'sea' }, 'tags: must be a list'],
    ['POST', '/api/media/bulk-ai-tag', { mediaIds: [7], review: 'yes' }, 'review: must be true or false'],
    ['GET', '/api/media/download/7', undefined, 'id: has an invalid format'],
    [
      'POST',
      '/api/media/bulk-rename',
      { mediaIds: [7], runId: '!' },
      'runId: must have only letters, digits, hyphens and underscores',
    ],
    ['PATCH', '/api/ai-reviews/run/items/7', { refusedTags: [' '] }, 'refusedTags.0: must have at least 1 character'],
    [
      'POST',
      '/api/collections',
      { name: 'Sea', description: 'x'.repeat(2001) },
      'description: must have at most 2,000 characters',
    ],
    ['GET', '/api/collections?summary=perhaps', undefined, 'summary: must be one of true, false'],
    ['GET', '/api/database/users?limit=0', undefined, 'limit: must be at least 1'],
    ['GET', '/api/media?page=two', undefined, 'page: must be a number'],
    ['GET', '/api/media?page=1.5', undefined, 'page: must be a whole number'],
    ['GET', '/api/media?page=1000001', undefined, 'page: must be at most 1,000,000'],
    ['GET', '/api/media/7.5', undefined, 'id: must be a whole number'],
    ['GET', '/api/media/0', undefined, 'id: must be more than 0'],
    [
      'POST',
      '/api/media/bulk-description',
      { mediaIds: [7], description: 'x'.repeat(10_001) },
      'description: A description can have up to 10,000 characters.',
    ],
  ]
  for (const [method, url, payload, message] of faults) {
    const answer = await user.send({ method, url, payload })
    assert.deepEqual([answer.statusCode, answer.json().message], [400, message])
  }
})

test('an empty query parameter counts as absent', async (context) => {
  const { register } = await testApp(context)
  const user = await register()
  const answer = await user.get('/api/media?page=&limit=&search=&collectionId=&sort=')
  assert.equal(answer.statusCode, 200, answer.body)
})

test('the character U+0000 is refused anywhere in a request, and the field is named', async (context) => {
  const { app } = await testApp(context)
  const bodies = [
    [{ ...credentials, username: 'An\0n' }, 'username'],
    [{ ...credentials, password: 'correct\0horse' }, 'password'],
    [{ ...credentials, unknown: { deep: [{ deeper: '\0' }] } }, 'unknown.deep.0.deeper'],
    [{ ...credentials, unknown: { 'ke\0y': 1 } }, 'unknown'],
  ] as const
  const sentence = 'Text must not contain the character U+0000.'
  for (const [payload, field] of bodies) {
    const answer = await app.inject({ ...login, payload })
    assert.equal(answer.statusCode, 400)
    assert.deepEqual([answer.json().field, answer.json().message], [field, `${field}: ${sentence}`])
  }
  const inName = await app.inject({ ...login, payload: { ...credentials, 'ke\0y': 1 } })
  assert.deepEqual(inName.json(), { message: sentence, code: 'invalid' })
})

const collections = { method: 'POST', url: '/api/collections', headers: json } as const

test('a body nested a hundred thousand levels deep is a 400', async (context) => {
  const user = await (await testApp(context)).register()
  const payload = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const answer = await user.send({ ...collections, payload })
  assert.equal(answer.statusCode, 400)
  assert.equal(answer.json().field, 'name')
})

test('a megabyte of tiny values is checked without keeping the name of each index', async (context) => {
  const user = await (await testApp(context)).register()
  const named = context.mock.method(Object, 'keys')
  const answer = await user.send({ ...collections, payload: { values: Array(300_000).fill('') } })
  assert.equal(answer.statusCode, 400)
  const lists = named.mock.calls.filter(({ arguments: [value] }) => Array.isArray(value) && value.length > 1000)
  assert.ok(named.mock.callCount() > 0 && lists.length === 0)
})

test('a body over a megabyte is refused, and over 16 kB when the user is not signed in', async (context) => {
  const { app, register } = await testApp(context)
  const user = await register()
  const ofLength = (length: number) => `{"more":"${'x'.repeat(length - 11)}"}`
  const asked = async (length: number) => (await user.send({ ...collections, payload: ofLength(length) })).statusCode
  assert.deepEqual([await asked(1024 * 1024), await asked(1024 * 1024 + 1)], [400, 413])
  const open = ['/api/login', '/api/register', '/api/logout', '/api/public/collections/sea/unlock', '/api/nothing']
  for (const url of open) {
    const send = (length: number) => app.inject({ method: 'POST', url, headers: json, payload: ofLength(length) })
    assert.notEqual((await send(16 * 1024)).statusCode, 413, url)
    const answer = await send(16 * 1024 + 1)
    assert.equal(answer.statusCode, 413, url)
    assert.deepEqual(answer.json(), { message: 'The request is too large.', code: 'too-large' })
  }
})

test('a URL that cannot be decoded is refused in the usual error format', async (context) => {
  const { app } = await testApp(context)
  for (const url of ['/%zz', '/api/%c0%af']) {
    const answer = await app.inject({ url })
    assert.equal(answer.statusCode, 400)
    assert.deepEqual(answer.json(), { message: 'This URL is not valid.', code: 'invalid' })
  }
})

test('a user who opens a URL that cannot be decoded sees the "not found" page', async (context) => {
  const { app } = await testApp(context)
  const headers = { accept: 'text/html,*/*;q=0.8' }
  for (const [url, location] of [
    ['/public/collections/beach-1a2b3c%?page=%', '/public/collections/beach-1a2b3c%25?page=%'],
    ['/public/caf%E9%20', '/public/caf%25E9%2520'],
  ] as const) {
    const answer = await app.inject({ url, headers })
    assert.deepEqual([answer.statusCode, answer.headers.location], [302, location])
    const page = await app.inject({ url: location, headers })
    assert.deepEqual([page.statusCode, page.headers['content-type']], [404, 'text/html; charset=utf-8'])
  }
  for (const url of ['//evil.example/%', '/\\evil.example/%']) {
    assert.equal((await app.inject({ url, headers })).statusCode, 400, 'the user is not redirected to another website')
  }
  assert.equal((await app.inject({ method: 'POST', url: '/public/beach%', headers })).statusCode, 400)
})

test('a proxy’s forwarded protocol and host are used only when both are well formed', async (context) => {
  const { app, register } = await testApp(context, { TRUST_PROXY: 'loopback' })
  const user = await register()
  const { id } = await user.addPicture('boat.jpg')
  const { pathname } = new URL((await user.post(`/api/media/${id}/public`)).json().publicUrl)
  const originWith = async (headers: Record<string, string>) => {
    const page = await app.inject({ url: pathname, headers })
    return new URL(/rel="canonical" href="([^"]*)"/.exec(page.body)![1]!).origin
  }
  const forwarded = (protocol: string, host: string) =>
    originWith({ 'x-forwarded-proto': protocol, 'x-forwarded-host': host })
  assert.equal(await forwarded('https', 'pictures.example'), 'https://pictures.example')
  assert.equal(await forwarded('http', 'inner, pictures.example:8443'), 'http://pictures.example:8443')
  assert.equal(await forwarded('https', '[2001:db8::1]:3000'), 'https://[2001:db8::1]:3000')
  for (const [protocol, host] of [
    ['javascript', 'pictures.example'],
    ['https', 'pictures.example/"><script>'],
    ['https', 'a@pictures.example'],
    ['https', ''],
  ] as const) {
    assert.equal(await forwarded(protocol, host), 'http://localhost', `${protocol} ${host}`)
  }
})

test('a change requested by another website’s page is refused', async (context) => {
  const warnings: { origin: string; own: string; msg: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) })
  const { app, register, services } = await testApp(context, {}, { log })
  const user = await register()
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:81', host: 'localhost:80' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:80' },
  ]
  for (const headers of foreign) {
    const answer = await user.send({ method: 'POST', url: '/api/logout', headers })
    assert.equal(answer.statusCode, 403, JSON.stringify(headers))
    assert.equal(answer.json().code, 'foreign-origin')
  }
  assert.equal((await services.db.selectFrom('sessions').selectAll().execute()).length, 1)
  const unknown = await app.inject({ method: 'DELETE', url: '/api/nothing', headers: foreign[0] })
  assert.equal(unknown.statusCode, 403, 'also where there is nothing')

  // The origin may be the own one behind an unnamed proxy, so the log tells once which setting to change.
  assert.match(unknown.json().message, /check PUBLIC_URL and TRUST_PROXY\.$/)
  const listTold = () => warnings.filter(({ msg }) => /set PUBLIC_URL or TRUST_PROXY$/.test(msg))
  assert.deepEqual(
    listTold().map(({ origin, own }) => [origin, own]),
    [
      ['https://evil.example', 'http://localhost:80'],
      ['http://localhost:81', 'http://localhost:80'],
      ['null', 'http://localhost:80'],
    ],
  )
  for (let count = 0; count < 30; count++) {
    const headers = { origin: `https://${count}.example` }
    await app.inject({ method: 'POST', url: '/api/logout', headers })
  }
  assert.equal(listTold().length, 20, 'who invents origins does not fill the log')
})

test('the own page and programs other than browsers may request changes', async (context) => {
  const { app } = await testApp(context)
  const own = [
    {},
    { origin: 'http://albumen.test', host: 'albumen.test' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://behind-a-proxy.example' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const headers of own) {
    const answer = await app.inject({ method: 'POST', url: '/api/logout', headers })
    assert.equal(answer.statusCode, 200, JSON.stringify(headers))
  }
})

test('PUBLIC_URL counts as the own origin', async (context) => {
  const { app } = await testApp(context, { PUBLIC_URL: 'https://photos.example/' })
  const send = (origin: string) => app.inject({ method: 'POST', url: '/api/logout', headers: { origin } })
  assert.equal((await send('https://photos.example')).statusCode, 200)
  assert.equal((await send('https://photos.example.evil.example')).statusCode, 403)
})

test('a GET request from another website works', async (context) => {
  const { app } = await testApp(context)
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  assert.equal((await app.inject({ url: '/api/health', headers })).statusCode, 200)
})
