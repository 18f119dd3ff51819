import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'

// Loaded into a real server process before it starts: GET /api/slow answers when the test says so, and not before.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.get('/api/slow', { config: { access: 'open' } }, async () => {
    const word = once(process, 'message')
    process.send?.('slow request begun')
    await word
    return { isDone: true }
  })
})
