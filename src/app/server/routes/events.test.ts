import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import Fastify from 'fastify'
import type { User } from '#features/auth/contract.ts'
import type { LiveEvent } from '#platform/server/events/events.ts'
import { validateByContract } from '#platform/server/http/validation.ts'
import { testDatabase } from '#tests/support/test-database.ts'
import { eventRoutes } from './events.ts'

/** The route alone, with its listeners, and one connected client. */
async function withListener(context: TestContext) {
  const listeners = new Set<(id: string, event: LiveEvent) => void>()
  const events = {
    publish: async () => {},
    resetAll: async () => {},
    subscribe: (_userId: number, _last: string | undefined, deliver: (id: string, event: LiveEvent) => void) => {
      listeners.add(deliver)
      return () => listeners.delete(deliver)
    },
    latestId: () => '0',
    watch: () => {},
    close: () => {},
  }
  const { db } = await testDatabase(context)
  const app = Fastify()
  app.setValidatorCompiler(validateByContract)
  eventRoutes({ app, access: 'signed-in', callerOf: () => ({ id: 1 }) as User, routes: [] }, { events, db })
  await app.listen({ port: 0, host: '127.0.0.1' })
  context.after(() => app.close())
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  context.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.write('GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n')
  while (listeners.size === 0) await turn()
  return { listeners, socket }
}

test('a client that reads nothing is disconnected instead of filling the memory', async (context) => {
  const { listeners } = await withListener(context)
  const long = { type: 'long', text: 'x'.repeat(64 * 1024) }
  // The kernel buffers some megabytes on both ends before the server's own buffer fills.
  for (let count = 0; count < 2000 && listeners.size > 0; count++) {
    for (const deliver of listeners) deliver('1', long)
    await turn()
  }
  assert.equal(listeners.size, 0)
})

test('a client that disconnects leaves no listener and no heartbeat', async (context) => {
  const begun = context.mock.method(globalThis, 'setInterval')
  const ended = context.mock.method(globalThis, 'clearInterval')
  const { listeners, socket } = await withListener(context)
  const heartbeat = begun.mock.calls.find(({ arguments: [, everyMs] }) => everyMs === 20_000)?.result
  assert.ok(heartbeat)
  socket.destroy()
  while (listeners.size > 0) await turn()
  assert.ok(ended.mock.calls.some(({ arguments: [timer] }) => timer === heartbeat))
})
