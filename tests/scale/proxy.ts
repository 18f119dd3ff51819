import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

/** How long a process that could not be reached is skipped. */
const downMs = 500

/**
 * A minimal load balancer: each request goes to the next process, unreachable processes are skipped, and an interrupted
 * request is answered with 502.
 */
export async function startProxy(listProcesses: () => string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const downUntil = new Map<string, number>()
  let turn = 0

  const server = createServer((incoming, answer) => {
    const processes = listProcesses()
    const first = turn++
    const inTurn = processes.map((_, index) => processes[(first + index) % processes.length]!)
    const isUp = (url: string) => (downUntil.get(url) ?? 0) < Date.now()
    forward(incoming, answer, [...inTurn.filter(isUp), ...inTurn.filter((url) => !isUp(url))])
  })

  function forward(incoming: IncomingMessage, answer: ServerResponse, [url, ...others]: string[]) {
    if (!url) return refuse(answer)
    const outgoing = request(`${url}${incoming.url}`, {
      agent,
      method: incoming.method,
      headers: { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' },
    })
    let isSending = false
    // The request body is read only after a process accepted the connection, so that another process can still be tried.
    outgoing.once('socket', (socket) => {
      const send = () => {
        isSending = true
        pipeline(incoming, outgoing, () => {})
      }
      if (socket.connecting) socket.once('connect', send)
      else send()
    })
    outgoing.once('response', (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      pipeline(response, answer, () => {})
    })
    outgoing.once('error', () => {
      downUntil.set(url, Date.now() + downMs)
      if (isSending) refuse(answer)
      else forward(incoming, answer, others)
    })
    answer.once('close', () => outgoing.destroy())
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function refuse(answer: ServerResponse) {
  if (answer.headersSent) return answer.destroy()
  answer.writeHead(502, { 'content-type': 'text/plain', connection: 'close' }).end('No process took this request.')
}
