import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** What the API answers is private and may change at any time; what did not change need not travel again. */
export function answerUnchanged(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.url.startsWith('/api/')) return payload
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
    const isPlainAnswer = request.method === 'GET' && reply.statusCode === 200 && typeof payload === 'string'
    if (!isPlainAnswer || reply.hasHeader('etag')) return payload
    const etag = `W/"${createHash('sha1').update(payload).digest('base64url')}"`
    reply.header('etag', etag)
    const known = request.headers['if-none-match']?.split(',').map((entry) => entry.trim())
    if (!known?.includes(etag)) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return ''
  })
}
