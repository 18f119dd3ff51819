import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'

// Preloaded into a server process: GET /api/slow responds only when the test sends a message.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.get('/api/slow', { config: { access: 'open' } }, async () => {
    const released = once(process, 'message')
    process.send?.('slow request begun')
    await released
    return { isDone: true }
  })
})
