import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { goodAnswer } from '#engines/ai/testing/misbehaving-endpoint.ts'

/** Long enough that a process which is killed is killed while it waits for an answer. */
const thinkingMs = 3000

/** An OpenAI-compatible endpoint that takes its time, and counts who asks by the key they show. */
export async function startSlowAi() {
  const asked = new Map<string, number>()
  const server = createServer(async (request, response) => {
    for await (const _part of request);
    const key = request.headers.authorization?.replace('Bearer ', '') ?? ''
    asked.set(key, (asked.get(key) ?? 0) + 1)
    await delay(thinkingMs)
    const message = { role: 'assistant', content: JSON.stringify(goodAnswer) }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    askedBy: (key: string) => asked.get(key) ?? 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
