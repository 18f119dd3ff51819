import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import pino from 'pino'
import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { AppError } from '#platform/errors.ts'
import { testApp } from '#tests/support/test-app.ts'
import { handle, handleStream } from './handle.ts'
import type { Scope } from './scope.ts'

test('an unchanged response is answered with 304 and no body', async (context) => {
  const { register } = await testApp(context)
  const user = await register()
  const first = await user.get('/api/user')
  const etag = first.headers.etag!.toString()
  assert.match(etag, /^W\/".+"$/)
  assert.equal(first.headers['cache-control'], 'private, no-cache')
  for (const known of [etag, `"other", ${etag}`]) {
    const again = await user.get('/api/user', { 'if-none-match': known })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
    assert.equal(again.headers.etag, etag)
  }
  assert.equal((await user.get('/api/user', { 'if-none-match': '"other"' })).statusCode, 200)
  const head = (headers?: Record<string, string>) => user.send({ method: 'HEAD', url: '/api/user', headers })
  assert.equal((await head()).headers.etag, etag, 'a HEAD request has the same ETag')
  assert.equal((await head()).headers['content-length'], String(first.rawPayload.length))
  assert.equal((await head({ 'if-none-match': etag })).statusCode, 304)
})

test('a changed response gets a new ETag', async (context) => {
  const { register, services } = await testApp(context)
  const user = await register()
  const before = (await user.get('/api/user')).headers.etag!.toString()
  await services.db.updateTable('users').set({ is_admin: 0 }).execute()
  const after = await user.get('/api/user', { 'if-none-match': before })
  assert.equal(after.statusCode, 200)
  assert.notEqual(after.headers.etag, before)
})

test('long responses are compressed by an encoding that the client accepts, short ones are not', async (context) => {
  const { app } = await testApp(context)
  const ask = (url: string, encoding: string) => app.inject({ url, headers: { 'accept-encoding': encoding } })
  const plain = await ask('/api/openapi.json', 'identity')
  assert.equal(plain.headers['content-encoding'], undefined)
  const gzip = await ask('/api/openapi.json', 'gzip')
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
  const brotli = await ask('/api/openapi.json', 'gzip, deflate, br')
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
  assert.match(String(brotli.headers.vary), /accept-encoding/i)
  const zstd = await ask('/api/openapi.json', 'gzip, deflate, br, zstd')
  assert.equal(zstd.headers['content-encoding'], 'zstd')
  assert.equal(zstdDecompressSync(zstd.rawPayload).toString(), plain.body)
  assert.equal((await ask('/api/health', 'br')).headers['content-encoding'], undefined)
})

test('a full or read-only disk is reported as such, wherever the error comes from', async (context) => {
  const full: Record<string, object> = {
    file: { code: 'ENOSPC' },
    quota: { code: 'EDQUOT' },
    sqlite: { code: 'ERR_SQLITE_ERROR', errcode: 13 },
    postgres: { code: '53100' },
  }
  const failing: Record<string, object> = {
    readOnlyFile: { code: 'EROFS' },
    readOnlySqlite: { code: 'ERR_SQLITE_ERROR', errcode: 1032 },
    brokenSqlite: { code: 'ERR_SQLITE_ERROR', errcode: 778 },
  }
  const faults = { ...full, ...failing }
  const { app } = await testApp(
    context,
    {},
    {
      prepare: (unready) =>
        void unready.get('/api/:fault', { config: { access: 'open' } }, ({ params }) => {
          throw Object.assign(new Error('no'), faults[(params as { fault: string }).fault])
        }),
    },
  )
  for (const fault of Object.keys(full)) {
    const answer = await app.inject(`/api/${fault}`)
    assert.equal(answer.statusCode, 507)
    assert.equal(answer.json().message, 'The disk is full. Free some space and try again.')
  }
  for (const fault of Object.keys(failing)) {
    const answer = await app.inject(`/api/${fault}`)
    assert.equal(answer.statusCode, 503)
    assert.match(answer.json().message, /^The disk is not writable at the moment\./)
  }
})

test('an unreachable database is answered with 503 and a time to retry', async (context) => {
  const faults: Record<string, Error> = {
    refused: new AggregateError([Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })]),
    starting: Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
    cut: new Error('Connection terminated unexpectedly'),
  }
  const { app } = await testApp(
    context,
    {},
    {
      prepare: (unready) =>
        void unready.get('/api/:fault', { config: { access: 'open' } }, ({ params }) => {
          throw faults[(params as { fault: string }).fault]!
        }),
    },
  )
  for (const fault of Object.keys(faults)) {
    const answer = await app.inject(`/api/${fault}`)
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.headers['retry-after'], '5')
    assert.equal(answer.json().message, 'The database cannot be reached. Please try again in a moment.')
  }
})

test('an unexpected error is a 500 that tells only the request id, and is logged once in full', async (context) => {
  const lines: string[] = []
  const { app } = await testApp(
    context,
    {},
    {
      log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
      prepare: (app) => {
        app.get('/api/fault', { config: { access: 'open' } }, async () => {
          throw new Error('secret detail at /home/ann')
        })
      },
    },
  )
  const answer = await app.inject({ url: '/api/fault' })
  assert.equal(answer.statusCode, 500)
  const { requestId } = answer.json()
  assert.match(requestId, /^[\da-f-]{36}$/)
  assert.deepEqual(answer.json(), {
    message: `Something went wrong on our end (request ${requestId}).`,
    code: 'internal',
    requestId,
  })
  assert.equal(lines.length, 1)
  const logged = JSON.parse(lines[0]!)
  assert.equal(logged.reqId, requestId)
  assert.equal(logged.err.message, 'secret detail at /home/ann')
})

test('an AppError becomes a response with its message, its code and a time to retry', async (context) => {
  const { app } = await testApp(
    context,
    {},
    {
      prepare: (app) => {
        app.get('/api/known', { config: { access: 'open' } }, async () => {
          throw new AppError('away', 503, 'The model is away.', { retryAfterSeconds: 0.2 })
        })
      },
    },
  )
  const answer = await app.inject({ url: '/api/known' })
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.headers['retry-after'], '1')
  assert.deepEqual(answer.json(), { message: 'The model is away.', code: 'away', retryAfterSeconds: 0.2 })
})

const Shown = z.object({ name: z.string() })
const one = route({ method: 'GET', path: '/api/one', summary: 'One', response: Shown })
const many = route({ method: 'GET', path: '/api/many', summary: 'Many', events: Shown, response: z.never() })

test('responses and events contain only what their contract names', async (context) => {
  const thing = { name: 'Ann', passwordHash: 'secret' }
  const { app } = await testApp(
    context,
    {},
    {
      prepare: (app) => {
        const scope: Scope<null> = { app, access: 'open', callerOf: () => null, routes: [] }
        handle(scope, one, () => thing)
        handleStream(scope, many, async function* () {
          yield thing
          yield thing
        })
      },
    },
  )
  assert.deepEqual((await app.inject({ url: '/api/one' })).json(), { name: 'Ann' })
  const stream = await app.inject({ url: '/api/many' })
  assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(stream.body, 'data: {"name":"Ann"}\n\n'.repeat(2))
})

test('a response that breaks its contract becomes a 500 and is not sent', async (context) => {
  const { app } = await testApp(
    context,
    {},
    {
      prepare: (app) => {
        const broken = { name: 42, passwordHash: 'secret' } as unknown as z.input<typeof Shown>
        handle({ app, access: 'open', callerOf: () => null, routes: [] }, one, () => broken)
      },
    },
  )
  const answer = await app.inject({ url: '/api/one' })
  assert.equal(answer.statusCode, 500)
  assert.equal(answer.json().code, 'internal')
  assert.doesNotMatch(answer.body, /secret/)
})

test('a handler that never responds is answered with an error after five minutes', async (context) => {
  const begun = Promise.withResolvers<void>()
  const { app } = await testApp(
    context,
    {},
    {
      prepare: (app) => {
        handle({ app, access: 'open', callerOf: () => null, routes: [] }, one, () => {
          begun.resolve()
          return new Promise(() => {})
        })
      },
    },
  )
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const answering = app.inject({ url: '/api/one' })
  await begun.promise
  context.mock.timers.tick(5 * 60_000)
  const answer = await answering
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.json().message, 'This took too long. Please try again.')
})
