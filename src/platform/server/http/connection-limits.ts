import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'

export type Timeouts = {
  headersMs: number
  bodyMs: number
  /** Limit for a long upload. */
  uploadMs: number
  /** A long upload must still send this much in every window. */
  minimumRate: { bytes: number; windowMs: number }
  /** How often Node checks connections for timeouts. */
  checkEveryMs: number
}

export const defaultTimeouts: Timeouts = {
  headersMs: 15_000,
  // Slow clients are to be cut within a minute; a busy server is a few seconds late.
  bodyMs: 50_000,
  uploadMs: 3600_000,
  minimumRate: { bytes: 16 * 1024, windowMs: 15_000 },
  checkEveryMs: 5000,
}

/**
 * [Note: Slow clients]
 * Node has one request timeout per server, which cannot suit uploads and other requests. So Node only times the headers;
 * `limitRequestTime` gives a body less than a minute, a long upload a minimum rate and an hour, and the archive of a
 * whole library the minimum rate alone.
 */
export const serverTimeouts = ({ headersMs, checkEveryMs }: Timeouts) => ({
  requestTimeout: 0,
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  http: { connectionsCheckingInterval: checkEveryMs, headersTimeout: headersMs },
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take up to an hour while it keeps the minimum rate. */
    isLongUpload?: boolean
    /** With `isLongUpload`: the body may also take longer than an hour, since it may be as large as the disk. */
    isOfAnyLength?: boolean
  }
}

export function limitRequestTime(app: FastifyInstance, timeouts: Timeouts) {
  app.addHook('onRequest', (request, reply, done) => {
    if (mayHaveBody(request.raw) && !request.raw.complete) limitBodyTime(request, reply, timeouts)
    done()
  })
}

/** A GET has usually no body, and its response may take long. */
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
  // The body's limits stay in force after an early response, while the client keeps sending.
  reply.raw.once('close', () => raw.complete && stop())
}

function watchRate(raw: IncomingMessage, { bytes, windowMs }: Timeouts['minimumRate'], cut: () => void) {
  let before = raw.socket.bytesRead
  const check = () => {
    const now = raw.socket.bytesRead
    // Bytes that wait to be read mean that the server is slow, not the client.
    if (now - before < bytes && raw.readableLength === 0) cut()
    before = now
  }
  // After a blocked event loop, the bytes that arrived meanwhile are read before the check.
  return setInterval(() => setImmediate(check), windowMs)
}

/**
 * Allows as many connections as the server can serve. When all are taken, idle ones are closed, which browsers reopen
 * when they need them; otherwise a client could block others by holding idle connections.
 */
export function limitConnections(server: Server, max: number) {
  server.maxConnections = max
  server.on('drop', () => server.closeIdleConnections())
}
