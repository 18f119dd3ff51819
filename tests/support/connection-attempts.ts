import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Collects every address and port that this process connects to, with any HTTP client. */
export function watchConnections(context: TestContext): string[] {
  const attempts: string[] = []
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (ip, port) => void attempts.push(`${ip}:${port}`))
  }
  subscribe('net.client.socket', watch)
  context.after(() => unsubscribe('net.client.socket', watch))
  return attempts
}
