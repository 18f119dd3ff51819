import type { FastifyInstance } from 'fastify'
import { AppError } from '#platform/errors.ts'

const hourMs = 3600_000
const bodyMs = 60_000
/** A body that is allowed to take long must still keep coming: this much in every window. */
const minimumRate = { bytes: 16 * 1024, windowMs: 15_000 }

/**
 * [Note: Slow clients]
 * Node has one request timeout per server and checks it rarely unless told. Uploads need the long one; every other
 * request is held to a minute by `limitRequestTime`, and a slow upload to a minimum rate.
 */
export const serverTimeouts = {
  requestTimeout: hourMs,
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  http: { connectionsCheckingInterval: 5000, headersTimeout: 15_000 },
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take up to an hour, as long as it keeps coming. */
    isLongUpload?: boolean
  }
}

export function limitRequestTime(app: FastifyInstance) {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request
    if (raw.method === 'GET' || raw.method === 'HEAD' || raw.complete) return
    const cut = () => {
      if (raw.complete || raw.destroyed) return
      const error = new AppError('too-slow', 408, 'The request took too long to arrive.')
      if (!reply.sent && !reply.raw.headersSent) {
        reply.raw.writeHead(408, { 'content-type': 'application/json', connection: 'close' })
        reply.raw.end(JSON.stringify({ message: error.message, code: error.code }))
      }
      setImmediate(() => raw.destroy(error))
    }
    const timer = request.routeOptions.config.isLongUpload ? watchRate(request, cut) : setTimeout(cut, bodyMs)
    const stop = () => clearTimeout(timer)
    raw.once('end', stop)
    reply.raw.once('close', stop)
    timer.unref()
  })
}

function watchRate({ raw }: { raw: { socket: { bytesRead: number } } }, cut: () => void) {
  let before = raw.socket.bytesRead
  return setInterval(() => {
    const now = raw.socket.bytesRead
    if (now - before < minimumRate.bytes) cut()
    before = now
  }, minimumRate.windowMs)
}
