import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Responses of the API are private and may change at any time; one that did not change is answered with 304. */
export function respondNotModified(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.url.startsWith('/api/')) return done(null, payload)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
    const isComplete = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!['GET', 'HEAD'].includes(request.method) || reply.statusCode !== 200 || !isComplete) return done(null, payload)
    const etag = String(reply.getHeader('etag') ?? weakEtag(hash('sha1', payload, 'base64url')))
    reply.header('etag', etag)
    if (!matchesEtag(request, etag)) return done(null, payload)
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    done(null, '')
  })
}

export const weakEtag = (contents: string) => `W/"${contents}"`

export function matchesEtag({ headers }: FastifyRequest, etag?: string) {
  return headers['if-none-match']?.split(',').some((entry) => entry.trim() === etag) ?? false
}
