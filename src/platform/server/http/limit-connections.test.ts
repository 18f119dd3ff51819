import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { goLive } from '#tests/support/live.ts'
import { testApp } from '#tests/support/test-app.ts'
import { until } from '#tests/support/until.ts'
import { limitConnections } from './limit-connections.ts'

test('connections that only wait make room for whoever has something to ask', async (context) => {
  const { app } = await testApp(context)
  const port = Number(new URL(await goLive(app)).port)
  limitConnections(app.server, 3)
  const waiting = await Promise.all([1, 2, 3].map(() => askAndStay(context, port)))
  assert.ok(waiting.every((answer) => answer.startsWith('HTTP/1.1 200')))
  // The one that finds no room frees it for the next, as a browser's second try does.
  const answer = await until('an answer', async () => (await askAndStay(context, port)) || null)
  assert.match(answer, /^HTTP\/1\.1 200/)
})

/** The first piece of the answer, on a connection that then stays open; empty when there was no room. */
async function askAndStay(context: TestContext, port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  context.after(() => socket.destroy())
  socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n')
  const [piece] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
  return String(piece)
}
