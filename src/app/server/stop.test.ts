import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { loadConfig } from '#platform/server/config.ts'
import { serverSettings } from '#tests/support/server-process.ts'
import { buildApp } from './build-app.ts'
import { createServices } from './services.ts'
import { stop } from './stop.ts'

/** A running server with `/api/waiting`, which answers when `answer` is called. */
async function running(context: TestContext) {
  const settings = await serverSettings(context)
  const services = await createServices(loadConfig(settings), pino({ level: 'silent' }))
  const app = await buildApp(services)
  const asked = Promise.withResolvers<void>()
  const answering = Promise.withResolvers<string>()
  app.get('/api/waiting', { config: { access: 'open' } }, () => {
    asked.resolve()
    return answering.promise
  })
  const closing = Promise.withResolvers<void>()
  app.addHook('preClose', async () => closing.resolve())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/api/waiting`
  const answer = () => answering.resolve('done')
  return { app, services, settings, url, port, asked: asked.promise, closing: closing.promise, answer }
}

test('an idle connection does not delay the stop after the last response', async (context) => {
  const { app, services, url, asked, answer } = await running(context)
  const request = fetch(url)
  await asked
  // Longer than any test may take.
  const stopping = stop(app, services, 3600_000)
  answer()
  assert.equal(await (await request).text(), 'done')
  await stopping
})

test('a request on an open connection during the stop is told that the server is stopping', async (context) => {
  const { app, services, port, asked, closing, answer } = await running(context)
  const connection = connect(port, '127.0.0.1')
  const request = (path: string) => connection.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  request('/api/waiting')
  await asked
  const stopped = stop(app, services, 60_000)
  await closing
  const arrived = once(app.server, 'request')
  request('/api/user')
  await arrived
  answer()
  const [, second] = (await text(connection)).split('HTTP/1.1 ').slice(1) as [string, string]
  await stopped
  assert.match(second, /^503 /)
  const { message, code } = JSON.parse(second.split('\r\n\r\n')[1]!)
  assert.deepEqual([code, message], ['closing', 'The server is stopping. Please try again when it is back.'])
})

test('a hanging request and job do not delay the stop, and the job waits for the next start', async (context) => {
  const { app, services, settings, url, asked } = await running(context)
  const working = Promise.withResolvers<void>()
  services.jobs.work('endless', { concurrency: 1 }, async (_payload, { signal }) => {
    working.resolve()
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  await services.jobs.enqueue(services.db, 'endless', {})
  await services.jobs.start()
  const request = assert.rejects(fetch(url))
  await asked
  await working.promise
  await stop(app, services, 100)
  await request

  const next = await createServices(loadConfig(settings), pino({ level: 'silent' }))
  const [job] = await next.db.selectFrom('jobs').selectAll().where('kind', '=', 'endless').execute()
  await next.close()
  assert.deepEqual([job?.status, job?.attempts], ['waiting', 0])
})
