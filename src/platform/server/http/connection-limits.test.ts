import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { blockThread } from '#tests/support/block-thread.ts'
import {
  responseTo as answerOf,
  bodyEnd,
  listenOnPort,
  liveHeaders,
  partHead,
  writeTo,
} from '#tests/support/live-upload.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { defaultTimeouts, limitConnections } from './connection-limits.ts'

const quick = {
  headersMs: 60_000,
  bodyMs: 200,
  uploadMs: 60_000,
  minimumRate: { bytes: 1000, windowMs: 200 },
  checkEveryMs: 50,
}

async function listening(context: TestContext, timeouts = quick, onFirstPiece = () => {}) {
  const { app } = await testApp(
    context,
    {},
    {
      timeouts,
      prepare: (app) => {
        app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null))
        const config = { access: 'open', isLongUpload: true } as const
        app.post('/api/long', { config }, async (request) => ({ bytes: (await text(request.raw)).length }))
        app.post('/api/still', { config }, async (request) => {
          request.raw.once('data', onFirstPiece)
          return { bytes: (await text(request.raw)).length }
        })
        app.post('/api/busy', { config }, async (request) => {
          // Reads nothing until several windows have passed, as a busy server would.
          await new Promise((resolve) => setTimeout(resolve, 700))
          return { bytes: (await text(request.raw)).length }
        })
      },
    },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

/** Sends the beginning of a request and reads until the server closes the connection. */
async function responseTo(port: number, ...pieces: string[]) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  for (const piece of pieces) socket.write(piece)
  return text(socket)
}

const head = (path: string, length: number, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`

test('a body that does not arrive is answered with 408', async (context) => {
  const answer = await responseTo(await listening(context), head('/api/login', 1000), '{"username":')
  assert.match(answer, /^HTTP\/1\.1 408 /)
  assert.match(answer, /connection: close/i)
  assert.match(answer, /\{"message":"The request took too long to arrive\.","code":"too-slow"\}$/)
})

test('headers that do not arrive are answered with 408', async (context) => {
  const port = await listening(context, { ...quick, headersMs: 200 })
  const answer = await responseTo(port, 'GET /api/health HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  assert.match(answer, /^HTTP\/1\.1 408 /)
  assert.match(answer, /\{"message":"The request took too long to arrive\.","code":"too-slow"\}$/)
})

test('bytes that are not HTTP get 400, and endless headers 431', async (context) => {
  const port = await listening(context)
  assert.match(await responseTo(port, 'HELLO\r\n\r\n'), /^HTTP\/1\.1 400 .*"code":"invalid"\}$/s)
  const huge = `GET / HTTP/1.1\r\nHost: x\r\nX-Huge: ${'a'.repeat(20_000)}\r\n\r\n`
  assert.match(await responseTo(port, huge), /^HTTP\/1\.1 431 .*"code":"too-large"\}$/s)
})

test('the body of a request with an invalid URL is not read', async (context) => {
  const lasting = head('/%ff', 1000).replace('Connection: close', 'Connection: keep-alive')
  const answer = await responseTo(await listening(context), lasting, '{')
  assert.match(answer, /^HTTP\/1\.1 400 .*"This URL is not valid\."/s)
})

test('an upload below the minimum rate is answered with 408', async (context) => {
  const port = await listening(context)
  const answer = await responseTo(port, head('/api/long', 100_000, 'application/octet-stream'), 'x'.repeat(500))
  assert.match(answer, /^HTTP\/1\.1 408 /)
})

test('an upload above the minimum rate may take longer than other requests', async (context) => {
  const patient = { ...quick, bodyMs: 50, minimumRate: { bytes: 1, windowMs: 60_000 } }
  const socket = connect(await listening(context, patient), '127.0.0.1')
  socket.write(head('/api/long', 6000, 'application/octet-stream'))
  let left = 6
  const sending = setInterval(() => {
    socket.write('x'.repeat(1000))
    if (--left === 0) clearInterval(sending)
  }, 50)
  assert.match(await text(socket), /^HTTP\/1\.1 200 .*\{"bytes":6000\}$/s)
})

test('an upload is cut after an hour, the archive of a library only below the minimum rate', async (context) => {
  const patient = { bodyMs: 60_000, minimumRate: { bytes: 1, windowMs: 60_000 } }
  const hour = { ...quick, ...patient, uploadMs: 300 }
  const product = await testApp(context, {}, { timeouts: hour })
  const admin = await product.register()
  const address = await listenOnPort(product.app)
  const statuses = await Promise.all(
    [
      ['/api/upload', 'files', 'a.jpg'],
      ['/api/admin/backup/upload', 'backup', 'a.zip'],
      ['/api/admin/database/upload', 'database', 'a.json'],
    ].map(async ([path, field, filename]) => {
      const headers = { ...liveHeaders, cookie: admin.cookieHeader }
      const upload = request(`${address}${path}`, { method: 'POST', agent: false, headers })
      const answered = answerOf(upload)
      await writeTo(upload, partHead(filename!).replace('"files"', `"${field}"`))
      for (let passed = 0; passed < 600; passed += 50) {
        await delay(50)
        if (!upload.destroyed) upload.write('x')
      }
      upload.on('error', () => {})
      upload.end(bodyEnd)
      return (await answered).statusCode
    }),
  )
  assert.deepEqual(statuses, [408, 400, 400])
})

test('a body is cut in time even after an early response or with a GET', async (context) => {
  const port = await listening(context)
  const keeping = head('/api/media/bulk-trash', 1000).replace('Connection: close\r\n', '')
  const asking = keeping.replace('POST /api/media/bulk-trash', 'GET /api/health')
  // The clock is advanced after the response, however long that took.
  context.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [question, answer] of [
    [keeping, /^HTTP\/1\.1 401 /],
    [asking, /^HTTP\/1\.1 200 /],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${question}{`)
    const [told] = await once(socket, 'data')
    assert.match(String(told), answer)
    context.mock.timers.tick(quick.bodyMs - 1)
    assert.equal(socket.readyState, 'open')
    context.mock.timers.tick(1)
    await once(socket, 'close')
  }
  context.mock.timers.reset()
})

test('an upload is not cut when the server reads slowly', async (context) => {
  const port = await listening(context)
  const bytes = 400_000
  const answer = await responseTo(port, head('/api/busy', bytes, 'application/octet-stream'), 'x'.repeat(bytes))
  assert.match(answer, /^HTTP\/1\.1 200 .*\{"bytes":400000\}$/s)
})

test('an upload is not cut when the server’s event loop was blocked', async (context) => {
  const bytes = 400_000
  const port = await listening(context, quick, () => {
    socket.write('x'.repeat(bytes - 1))
    blockThread(3 * quick.minimumRate.windowMs)
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head('/api/still', bytes, 'application/octet-stream')}x`)
  assert.match(await text(socket), /^HTTP\/1\.1 200 .*\{"bytes":400000\}$/s)
})

test('the default timeouts are 50 seconds for a body, 15 for headers and an hour for an upload', async (context) => {
  const { app } = await testApp(context)
  assert.equal(app.server.headersTimeout, 15_000)
  assert.equal(defaultTimeouts.uploadMs, 3600_000)
  assert.equal(defaultTimeouts.bodyMs, 50_000)
  assert.ok(defaultTimeouts.headersMs + defaultTimeouts.checkEveryMs < 60_000)
  assert.ok(2 * defaultTimeouts.minimumRate.windowMs < 60_000)
  assert.deepEqual(defaultTimeouts.minimumRate, { bytes: 16 * 1024, windowMs: 15_000 })
})
test('idle connections are closed when a request finds no free connection', async (context) => {
  const { app } = await testApp(context)
  const port = Number(new URL(await listenOnPort(app)).port)
  limitConnections(app.server, 3)
  const waiting = await Promise.all([1, 2, 3].map(() => requestAndStay(context, port)))
  assert.ok(waiting.every((answer) => answer.startsWith('HTTP/1.1 200')))
  // The refused connection makes the server close the idle ones, so a retry succeeds.
  const answer = await until('an answer', async () => (await requestAndStay(context, port)) || null)
  assert.match(answer, /^HTTP\/1\.1 200/)
})

/** The first chunk of the response, on a connection that then stays open; empty when the connection was refused. */
async function requestAndStay(context: TestContext, port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  context.after(() => socket.destroy())
  socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n')
  const [piece] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
  return String(piece)
}
