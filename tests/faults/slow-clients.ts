import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { counted, type Fault, seconds } from './fault.ts'
import { openLibrary } from './library.ts'
import { whileBrowsing } from './while-browsing.ts'

const cutWithinMs = 60_000
const othersMs = 500
/** How long one that is not cut is waited for. */
const patienceMs = 90_000
const dripEveryMs = 2000

/** Sockets that send a byte now and then: half never end their headers, half never end their body. */
export const slowClients: Fault = async ({ rounds }) => {
  const total = rounds(1000)
  await using library = await openLibrary()
  const { port } = new URL(library.server.url)
  const begin = performance.now()
  const cutAfter: number[] = []
  const answers = new Map<string, number>()
  const { refused, p95Ms, looks } = await whileBrowsing(library, async () => {
    const sockets = Array.from({ length: total }, (_, index) => openSlow(Number(port), index % 2 === 0))
    await Promise.all(sockets.map(untilCut))
  })
  const slowest = Math.max(...cutAfter)
  const told = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
  assert.equal(cutAfter.length, total)
  return [
    counted('1,000 sockets that send single bytes slowly', {
      figure: `all closed after ${seconds(slowest)} (${told}); other users: ${looks()} requests, ${refused()} refused, 95% within ${Math.round(p95Ms())} ms`,
      toReach: 'closed within 60 s, other users 95% below 500 ms',
      isReached: slowest <= cutWithinMs && refused() === 0 && p95Ms() < othersMs,
    }),
  ]

  async function untilCut(socket: Socket) {
    let received = ''
    socket.on('data', (chunk) => (received += chunk))
    // A reset is a way of being cut.
    socket.on('error', () => {})
    let isOpen = true
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    closed.then(() => (isOpen = false))
    while (isOpen && performance.now() - begin < patienceMs) {
      if (socket.writable) socket.write('x')
      await Promise.race([closed, delay(dripEveryMs)])
    }
    const status = /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 'closed'
    answers.set(status, (answers.get(status) ?? 0) + 1)
    cutAfter.push(performance.now() - begin)
    socket.destroy()
  }
}

function openSlow(port: number, isSlowInHeaders: boolean) {
  const socket = connect(port, '127.0.0.1')
  const head = 'POST /api/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'
  socket.write(isSlowInHeaders ? `${head}x-slow: ` : `${head}content-length: 100000\r\n\r\n`)
  return socket
}
