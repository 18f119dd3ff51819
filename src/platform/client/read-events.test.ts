import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import { route } from '#platform/contract.ts'
import { fetchFrom } from '#tests/support/fetch-from.ts'

import { readEvents } from './read-events.ts'

const scan = route({
  method: 'POST',
  path: '/api/scan',
  summary: 'For the test',
  body: z.object({ url: z.string() }),
  events: z.object({ n: z.number(), name: z.string().optional() }),
  response: z.never(),
})

const body = { url: 'https://example.com' }

async function collect(events: AsyncIterable<unknown>) {
  const all: unknown[] = []
  for await (const event of events) all.push(event)
  return all
}

/** Writes the bytes in chunks, each in an event-loop turn of its own. */
async function writeInChunks(response: ServerResponse, bytes: Buffer, size: number) {
  for (let start = 0; start < bytes.length; start += size) {
    response.write(bytes.subarray(start, start + size))
    await turn()
  }
  response.end()
}

test('events are read in order however the bytes are split, even within a character', async (context) => {
  const text = 'data: {"n":1,"name":"Zoë 🌅"}\n\n: a comment\n\nid: 2\ndata: {"n":\ndata: 2}\n\ndata: {"n":3}\n\n'
  for (const size of [1, 2, 3, 7, 1000]) {
    const warn = context.mock.method(console, 'warn', () => {})
    await fetchFrom(context, (_request, response) => void writeInChunks(response, Buffer.from(text), size))
    assert.deepEqual(await collect(readEvents(scan, { body })), [{ n: 1, name: 'Zoë 🌅' }, { n: 2 }, { n: 3 }])
    assert.equal(warn.mock.callCount(), 0, 'a comment is not an error')
    context.mock.restoreAll()
  }
})

test('an event that is not JSON, or does not match the schema, is only logged', async (context) => {
  const warn = context.mock.method(console, 'warn', () => {})
  const text = 'data: {broken\n\ndata: {"n":"one"}\n\ndata: {"n":1,"more":true}\n\ndata: {"n":2}'
  await fetchFrom(context, (_request, response) => response.end(text))
  assert.deepEqual(await collect(readEvents(scan, { body })), [{ n: 1 }], 'an incomplete event at the end is ignored')
  const logged = warn.mock.calls.map((call) => call.arguments.at(-1))
  assert.deepEqual(logged, ['{broken', '{"n":"one"}'])
})

test('an error response is thrown as an ApiError', async (context) => {
  await fetchFrom(context, (_request, response) => response.writeHead(400).end('{"message":"No such page."}'))
  await assert.rejects(collect(readEvents(scan, { body })), {
    status: 400,
    message: '400: {"message":"No such page."}',
  })
})

test('a caller that stops reading closes the connection', async (context) => {
  const ended = Promise.withResolvers<void>()
  await fetchFrom(context, async (_request, response) => {
    response.write('data: {"n":1}\n\n')
    await once(response, 'close')
    ended.resolve()
  })
  for await (const event of readEvents(scan, { body })) {
    assert.deepEqual(event, { n: 1 })
    break
  }
  await ended.promise
})

test('an aborted stream throws', async (context) => {
  await fetchFrom(context, (_request, response) => void response.write('data: {"n":1}\n\n'))
  const controller = new AbortController()
  const events = readEvents(scan, { body }, { signal: controller.signal })
  assert.deepEqual((await events.next()).value, { n: 1 })
  controller.abort()
  await assert.rejects(events.next(), { name: 'AbortError' })
})
