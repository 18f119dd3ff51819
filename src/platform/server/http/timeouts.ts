import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'

export type Timeouts = {
  headersMs: number
  bodyMs: number
  /** The longest that any request may take to arrive; only long uploads come near it. */
  uploadMs: number
  /** A body that is allowed to take long must still keep coming: this much in every window. */
  minimumRate: { bytes: number; windowMs: number }
  /** How often Node looks for connections that are over time. */
  checkEveryMs: number
}

export const usualTimeouts: Timeouts = {
  headersMs: 15_000,
  // A slow sender is to be gone after a minute by the clock; a busy server cuts a few seconds late.
  bodyMs: 50_000,
  uploadMs: 3600_000,
  minimumRate: { bytes: 16 * 1024, windowMs: 15_000 },
  checkEveryMs: 5000,
}

/**
 * [Note: Slow clients]
 * Node has one request timeout per server and checks it rarely unless told. Uploads need the long one; every other
 * request is held to less than a minute by `limitRequestTime`, and a slow upload to a minimum rate.
 */
export const serverTimeouts = ({ headersMs, uploadMs, checkEveryMs }: Timeouts) => ({
  requestTimeout: uploadMs,
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  http: { connectionsCheckingInterval: checkEveryMs, headersTimeout: headersMs },
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take up to an hour, as long as it keeps coming. */
    isLongUpload?: boolean
  }
}

export function limitRequestTime(app: FastifyInstance, timeouts: Timeouts) {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, complete } = request.raw
    if (method !== 'GET' && method !== 'HEAD' && !complete) limitBodyTime(request, reply, timeouts)
    done()
  })
}

function limitBodyTime(request: FastifyRequest, reply: FastifyReply, { bodyMs, minimumRate }: Timeouts) {
  const { raw } = request
  const cut = () => {
    if (raw.complete || raw.destroyed) return
    reply.raw.once('finish', () => raw.destroy())
    if (reply.sent) raw.destroy()
    else reply.header('connection', 'close').send(new AppError('too-slow', 408, 'The request took too long to arrive.'))
  }
  const timer = request.routeOptions.config.isLongUpload ? watchRate(raw, minimumRate, cut) : setTimeout(cut, bodyMs)
  const stop = () => clearTimeout(timer)
  raw.once('end', stop)
  reply.raw.once('close', stop)
  timer.unref()
}

function watchRate(raw: IncomingMessage, { bytes, windowMs }: Timeouts['minimumRate'], cut: () => void) {
  let before = raw.socket.bytesRead
  return setInterval(() => {
    const now = raw.socket.bytesRead
    // What has come and lies unread is our own slowness, not the sender's.
    if (now - before < bytes && raw.readableLength === 0) cut()
    before = now
  }, windowMs)
}
