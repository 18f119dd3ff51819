import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { words } from './random.ts'

/** A fake AI endpoint whose answer for a picture is always the same. */
export async function startWordyAi() {
  const server = createServer(async (request, response) => {
    const digest = createHash('sha256')
    let body = ''
    for await (const part of request) body += part
    digest.update(/base64,([^"]+)/.exec(body)?.[1] ?? '')
    const [one, two, three, four] = digest.digest()
    const word = (at: number) => words[at % words.length]!
    const content = JSON.stringify({
      title: word(one!),
      description: `${word(two!)} and ${word(three!)}.`,
      tags: [word(three!), word(four!), word(one!)],
      text: '',
      name: `${word(one!)} ${word(four!)}`,
    })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }] }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
