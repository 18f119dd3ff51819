import type { Server } from 'node:http'

/**
 * As many connections at once as the server can serve. When there is no room, those that wait without a question (for more
 * than a minute, if they like) are closed: browsers open them anew, and nobody keeps others out by holding them.
 */
export function limitConnections(server: Server, most: number) {
  server.maxConnections = most
  server.on('drop', () => server.closeIdleConnections())
}
