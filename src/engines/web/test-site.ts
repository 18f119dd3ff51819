import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createRawServer } from 'node:net'

/** A real server on loopback for tests of the web engine. */
export type TestSite = AsyncDisposable & {
  origin: string
  /** As an allow-list names it. */
  pair: string
  port: number
  /** The paths asked for, in order. */
  hits: string[]
  /** Connections opened, whether or not a request followed. */
  connections: () => number
}

export async function openSite(listener: RequestListener, tls?: { key: string; cert: string }): Promise<TestSite> {
  const hits: string[] = []
  const count: RequestListener = (request, response) => {
    hits.push(request.url ?? '')
    listener(request, response)
  }
  const server = tls ? createTlsServer(tls, count) : createServer(count)
  return await listen(server, tls ? 'https' : 'http', hits)
}

/** A server that speaks, or keeps silent, below HTTP. */
export async function openRawSite(onSocket: (socket: Socket) => void): Promise<TestSite> {
  return await listen(createRawServer(onSocket), 'http', [])
}

async function listen(server: ReturnType<typeof createRawServer>, scheme: string, hits: string[]): Promise<TestSite> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    pair: `127.0.0.1:${port}`,
    port,
    hits,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
