import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { listenOnPort, responseTo, writeTo } from '#tests/support/live-upload.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'

const body = JSON.stringify({ selectedImages: [], more: 'x'.repeat(2 * 1024 * 1024) })

test('one large body per user is read at a time, and a stalled one does not block other users', async (context) => {
  const begun = Promise.withResolvers<void>()
  const prepare = (app: FastifyInstance) =>
    app.addHook('preParsing', async (_request, _reply, payload) => {
      begun.resolve()
      return payload
    })
  const product = await testApp(context, {}, { prepare })
  const [ann, ben] = [await product.register(), await product.register()]
  const address = await listenOnPort(product.app)
  const begin = (person: TestUser) =>
    request(`${address}/api/scrape-upload`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': body.length, cookie: person.cookieHeader },
    })
  const sendWhole = (person: TestUser) => {
    const sending = begin(person)
    sending.end(body)
    return responseTo(sending)
  }
  const half = begin(ann)
  half.on('error', () => {})
  await writeTo(half, body.slice(0, 1000))
  await begun.promise

  const second = sendWhole(ann)
  assert.equal((await sendWhole(ben)).statusCode, 400, 'nothing was selected')
  assert.equal(await Promise.race([second, delay(300, 'waits')]), 'waits')
  assert.equal((await ann.post('/api/scrape-upload', { selectedImages: [] })).statusCode, 400, 'a small one need not')
  assert.equal((await ann.get('/api/scrape-runs/events?runId=7')).statusCode, 404, 'nor does what has none')
  half.destroy()
  assert.equal((await second).statusCode, 400)
  assert.equal((await sendWhole(ann)).statusCode, 400, 'a refusal gives its place back')
})
