import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { withRegisteredRoutes } from '#tests/support/registered-routes.ts'
import { testApp } from '#tests/support/test-app.ts'
import { apiDocsPage } from './routes/api-docs-page.ts'
import { openApiDocument } from './routes/openapi.ts'

/** Every call that the server answers; what browsers ask before one, and the head of one, is none of its own. */
async function withCalls(context: TestContext) {
  const { product, routes } = await withRegisteredRoutes(() => testApp(context))
  const calls = routes.filter(({ method, url }) => url.startsWith('/api/') && !['HEAD', 'OPTIONS'].includes(method))
  return { app: product.app, calls: calls.map(({ name }) => name).sort() }
}

test('the OpenAPI document lists every call', async (context) => {
  const { app, calls } = await withCalls(context)
  const document = (await app.inject({ url: '/api/openapi.json' })).json()
  assert.equal(document.openapi, '3.1.0')
  const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  const documentation = ['GET /api/docs', 'GET /api/openapi.json']
  assert.deepEqual(
    described.sort(),
    calls.filter((call) => !documentation.includes(call)),
  )
})

test('the documentation is written once, however many visitors request it', async (context) => {
  const { app } = await testApp(context)
  for (const url of ['/api/openapi.json', '/api/docs']) {
    const timed = async () => {
      const began = process.cpuUsage()
      const { body } = await app.inject({ url })
      return { body, user: process.cpuUsage(began).user }
    }
    const first = await timed()
    let others = 0
    for (let visit = 0; visit < 10; visit++) {
      const { body, user } = await timed()
      assert.equal(body, first.body)
      others += user
    }
    assert.ok(others < first.user * 2, `${url}: ${first.user} µs, then ${others} µs for ten`)
  }
})

test('the OpenAPI document says what goes in, what comes out and who may', async (context) => {
  const { app } = await testApp(context)
  const { paths } = (await app.inject({ url: '/api/openapi.json' })).json()
  const { post } = paths['/api/register']
  assert.deepEqual(post.requestBody.content['application/json'].schema.required, ['username', 'email', 'password'])
  assert.equal(post.responses['201'].content['application/json'].schema.properties.isAdmin.type, 'boolean')
  assert.equal(post.security, undefined)
  assert.equal(post.requestBody.required, true)
  assert.deepEqual(paths['/api/user'].get.security, [{ session: [] }, { sessionOverHttps: [] }])
  assert.equal(paths['/api/admin/users'].get.description, 'Available to administrators.')
  assert.ok(paths['/api/events'].get.responses['200'].content['text/event-stream'])
})

type Described = { responses: Record<string, { $ref?: string; content: Record<string, { schema: object }> }> }

test('the OpenAPI document names what every call answers, a file by its types, and how each refuses', async (context) => {
  const { app } = await testApp(context)
  const { paths, components } = (await app.inject({ url: '/api/openapi.json' })).json()
  const calls = Object.values(paths as Record<string, Record<string, Described>>).flatMap(Object.values<Described>)
  for (const { responses } of calls) {
    const [success, refusal] = Object.values(responses)
    assert.equal(refusal!.$ref, '#/components/responses/Refusal')
    for (const { schema } of Object.values(success!.content)) {
      assert.ok(Object.keys(schema).length > 0 && !('not' in schema), JSON.stringify(responses))
    }
  }
  const refusal = components.responses.Refusal.content['application/json'].schema
  assert.deepEqual(refusal.required, ['message', 'code'])
  assert.deepEqual(Object.keys(paths['/api/media/download/{id}'].get.responses['200'].content), ['application/zip'])
  assert.ok('application/pdf' in paths['/api/media/export'].post.responses['200'].content)
})

test('the OpenAPI document names the files that an upload takes', async (context) => {
  const { app } = await testApp(context)
  const { paths } = (await app.inject({ url: '/api/openapi.json' })).json()
  const uploads = ['/api/upload', '/api/admin/backup/upload', '/api/admin/database/upload']
  const files = uploads.map((path) => paths[path].post.requestBody.content['multipart/form-data'].schema)
  assert.deepEqual(
    files.map(({ required }) => required),
    [['files'], ['backup'], ['database']],
  )
  assert.deepEqual(files[0].properties.enableAi.enum, ['true', 'false'])
})

test('path and query parameters are described as such', () => {
  const id = z.object({ id: z.coerce.number() })
  const query = z.object({ page: z.coerce.number().optional(), sort: z.string() })
  const one = route({ method: 'GET', path: '/api/things/:id', summary: 'One', params: id, query, response: z.string() })
  const { paths } = openApiDocument([{ route: one, access: 'open' }], '1')
  const { parameters } = paths['/api/things/{id}']!.get as { parameters: { name: string; in: string }[] }
  assert.deepEqual(
    parameters.map((parameter) => Object.values(parameter).slice(0, 3)),
    [
      ['id', 'path', true],
      ['page', 'query', false],
      ['sort', 'query', true],
    ],
  )
})

test('the API page can be read by a person, without any script', async (context) => {
  const { app, calls } = await withCalls(context)
  const answer = await app.inject({ url: '/api/docs' })
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  assert.doesNotMatch(answer.body, /<script/)
  for (const call of calls.filter((name) => !/docs|openapi/.test(name))) {
    const [method, path] = call.split(' ')
    assert.match(answer.body, new RegExp(`>${method}</b> <code>${path}</code>`))
  }
  assert.match(answer.body, /Create an account and sign in/)
})

test('the API page shows texts as texts', () => {
  const hostile = route({
    method: 'GET',
    path: '/api/<img src=x>',
    summary: '<script>alert("1")</script> & more',
    response: z.object({ field: z.string().describe('</pre><script>alert(2)</script>') }),
  })
  const page = apiDocsPage([{ route: hostile, access: 'open' }], '<b>1</b>')
  assert.doesNotMatch(page, /<script|<img|<b>1/)
  assert.match(page, /&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt; &amp; more/)
})
