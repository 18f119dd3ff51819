import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** What the API answers is private and may change at any time; what did not change need not travel again. */
export function answerUnchanged(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.url.startsWith('/api/')) return done(null, payload)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
    const isPlainAnswer = request.method === 'GET' && reply.statusCode === 200 && typeof payload === 'string'
    if (!isPlainAnswer || reply.hasHeader('etag')) return done(null, payload)
    const etag = `W/"${hash('sha1', payload, 'base64url')}"`
    reply.header('etag', etag)
    const known = request.headers['if-none-match']?.split(',').map((entry) => entry.trim())
    if (!known?.includes(etag)) return done(null, payload)
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    done(null, '')
  })
}
