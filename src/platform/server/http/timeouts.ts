import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'

export type Timeouts = {
  headersMs: number
  bodyMs: number
  /** The longest that a long upload may take to arrive. */
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
 * Node has one request timeout per server, and what suits an upload suits nothing else. So it only watches the headers, and
 * rarely unless told; every body is held to less than a minute by `limitRequestTime`, a long upload to a minimum rate and an
 * hour, and a whole library to the minimum rate alone.
 */
export const serverTimeouts = ({ headersMs, checkEveryMs }: Timeouts) => ({
  requestTimeout: 0,
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  http: { connectionsCheckingInterval: checkEveryMs, headersTimeout: headersMs },
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take up to an hour, as long as it keeps coming. */
    isLongUpload?: boolean
    /** With `isLongUpload`: and longer than an hour, for what is as large as the disk takes. */
    isOfAnyLength?: boolean
  }
}

export function limitRequestTime(app: FastifyInstance, timeouts: Timeouts) {
  app.addHook('onRequest', (request, reply, done) => {
    if (mayHaveBody(request.raw) && !request.raw.complete) limitBodyTime(request, reply, timeouts)
    done()
  })
}

/** A GET usually has none, and may take long to answer. */
const mayHaveBody = ({ method, headers }: IncomingMessage) =>
  (method !== 'GET' && method !== 'HEAD') ||
  'transfer-encoding' in headers ||
  Number(headers['content-length'] ?? 0) > 0

function limitBodyTime(request: FastifyRequest, reply: FastifyReply, timeouts: Timeouts) {
  const { raw } = request
  const cut = () => {
    if (raw.complete || raw.destroyed) return
    reply.raw.once('finish', () => raw.destroy())
    if (reply.sent) raw.destroy()
    else reply.header('connection', 'close').send(new AppError('too-slow', 408, 'The request took too long to arrive.'))
  }
  const { isLongUpload, isOfAnyLength } = request.routeOptions.config
  const timers = isLongUpload ? [watchRate(raw, timeouts.minimumRate, cut)] : [setTimeout(cut, timeouts.bodyMs)]
  if (isLongUpload && !isOfAnyLength) timers.push(setTimeout(cut, timeouts.uploadMs))
  for (const timer of timers) timer.unref()
  const stop = () => {
    for (const timer of timers) clearTimeout(timer)
  }
  raw.once('end', stop)
  raw.once('close', stop)
  // An answer that came early is no end of the body: whoever keeps the connection with it is still watched.
  reply.raw.once('close', () => raw.complete && stop())
}

function watchRate(raw: IncomingMessage, { bytes, windowMs }: Timeouts['minimumRate'], cut: () => void) {
  let before = raw.socket.bytesRead
  const look = () => {
    const now = raw.socket.bytesRead
    // What has come and lies unread is our own slowness, not the sender's.
    if (now - before < bytes && raw.readableLength === 0) cut()
    before = now
  }
  // What has come while we stood still is read before it is counted.
  return setInterval(() => setImmediate(look), windowMs)
}
