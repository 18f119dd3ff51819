import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { urlOf } from '#platform/url-of.ts'
import { fetchFrom } from '#tests/support/fetch-from.ts'
import { ApiError, call, failureReason, messageOf } from './call.ts'

const summary = 'For the test'
const list = route({ method: 'GET', path: '/api/things', summary, response: z.array(z.string()) })
const rename = route({
  method: 'PATCH',
  path: '/api/things/:id/names/:name',
  summary,
  params: z.object({ id: z.number(), name: z.string() }),
  query: z.object({ sort: z.string().optional(), page: z.number().optional() }),
  body: z.object({ to: z.string() }),
  response: z.object({ seen: z.array(z.unknown()) }),
})
const remove = route({ method: 'DELETE', path: '/api/things', summary, success: 204, response: z.void() })

test('a call sends the input that its contract describes and returns the parsed response', async (context) => {
  await fetchFrom(context, async (request, response) => {
    const { method, url, headers } = request
    response.end(JSON.stringify({ seen: [method, url, headers['content-type'], JSON.parse(await text(request))] }))
  })
  const params = { id: 7, name: 'a/b ?ü' }
  const { seen } = await call<typeof rename>('PATCH /api/things/:id/names/:name', {
    params,
    query: { sort: 'a&b', page: undefined },
    body: { to: 'Zoë' },
  })
  assert.deepEqual(seen, [
    'PATCH',
    '/api/things/7/names/a%2Fb%20%3F%C3%BC?sort=a%26b',
    'application/json',
    { to: 'Zoë' },
  ])
})

test('a call without a body sends none, and an empty response is accepted', async (context) => {
  const types: unknown[] = []
  await fetchFrom(context, (request, response) => {
    types.push(request.headers['content-type'])
    if (request.method === 'DELETE') response.writeHead(204).end()
    else response.end('["a"]')
  })
  assert.deepEqual(await call<typeof list>('GET /api/things'), ['a'])
  assert.equal(await call<typeof remove>('DELETE /api/things'), undefined)
  assert.deepEqual(types, [undefined, undefined])
})

test('a response that is not OK is thrown as "{status}: {text}", with status and parsed body as fields', async (context) => {
  const body = '{"message":"This username is already taken.","code":"conflict"}'
  await fetchFrom(context, (_request, response) => response.writeHead(409).end(body))
  const error = await call<typeof list>('GET /api/things').catch((fault) => fault)
  assert.ok(error instanceof ApiError)
  assert.equal(error.message, `409: ${body}`)
  assert.equal(error.status, 409)
  assert.deepEqual(error.body, { message: 'This username is already taken.', code: 'conflict' })
  assert.equal(messageOf(error, 'Something else'), 'This username is already taken.')
})

test('an error response without text is thrown with its status text', async (context) => {
  await fetchFrom(context, (_request, response) => response.writeHead(502).end())
  await assert.rejects(call<typeof list>('GET /api/things'), {
    message: '502: Bad Gateway',
    status: 502,
    body: 'Bad Gateway',
  })
})

test('a user sees the server’s message, and never raw JSON or a proxy’s page', () => {
  const fallback = 'Failed to load.'
  assert.equal(messageOf(new ApiError(400, '{"message":"Too short."}'), fallback), 'Too short.')
  const badInput = (message: string) => new ApiError(400, JSON.stringify({ message, code: 'invalid', field: 'tags.0' }))
  assert.equal(messageOf(badInput('tags.0: A tag is too long.'), fallback), 'A tag is too long.')
  assert.equal(messageOf(badInput('tags.0: must be text'), fallback), 'tags.0: must be text')
  assert.equal(messageOf(new ApiError(503, '{"message":"ImageKit: Not now."}'), fallback), 'ImageKit: Not now.')
  assert.equal(messageOf(new ApiError(502, '<html>Bad gateway</html>'), fallback), fallback)
  const tooLarge = new ApiError(413, '<html>413 Request Entity Too Large</html>')
  assert.match(messageOf(tooLarge, fallback), /^The proxy in front of Albumen rejected/)
  assert.equal(messageOf(new ApiError(500, '{"message":{"nested":1}}'), fallback), fallback)
  assert.equal(messageOf(new ApiError(500, 'null'), fallback), fallback)
  assert.equal(messageOf(new TypeError('Failed to fetch'), fallback), fallback)
})

test('the connection is blamed only when there was no response', () => {
  assert.equal(failureReason(new TypeError('Failed to fetch')), 'Please check your connection.')
  assert.equal(failureReason(new ApiError(500, '{"message":"Something went wrong."}')), 'Something went wrong.')
  assert.equal(failureReason(new ApiError(502, '<html>Bad gateway</html>')), 'Please try again in a moment.')
})

test('an aborted call rejects', async (context) => {
  await fetchFrom(context, () => {})
  const signal = AbortSignal.abort()
  await assert.rejects(call<typeof list>('GET /api/things', undefined, { signal }), { name: 'AbortError' })
})

test('empty query parameters are left out of the URL', () => {
  assert.equal(urlOf<typeof list>('/api/things', {}, { search: '', page: undefined }), '/api/things')
  assert.equal(urlOf<typeof list>('/api/things', {}, { page: 0, isOn: false }), '/api/things?page=0&isOn=false')
})
