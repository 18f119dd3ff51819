import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { openDelivered } from './delivery.ts'

test('of a file that is delivered whole no more is fetched than the part that was asked for', async (context) => {
  const left = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    response.on('close', left.resolve)
    response.writeHead(200, { 'content-length': 1_000_000 })
    response.write(Buffer.alloc(1000, 'a')) // the rest never comes
  }).listen(0, '127.0.0.1')
  context.after(() => server.close())
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/film.mp4`
  const part = await openDelivered(address, { range: { start: 100, end: 299 }, timeoutMs: 60_000 })
  assert.equal((await buffer(part!.stream)).length, 200)
  await left.promise
})
