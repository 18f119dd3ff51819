import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** Sends fetches of relative URLs, which only a browser resolves, to a server with this listener. */
export async function fetchFrom(context: TestContext, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const real = globalThis.fetch
  context.mock.method(globalThis, 'fetch', (address: string, options?: RequestInit) =>
    real(`http://127.0.0.1:${port}${address}`, options),
  )
}
