import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    publicUrl: string | undefined
  }
}

/** The address of this installation: PUBLIC_URL if set, else the one that the request used. */
export function originOf({ protocol, host, server }: FastifyRequest) {
  return server.publicUrl ?? `${protocol}://${host}`
}

/**
 * Behind a proxy that is not trusted, an https request looks like http; one for the host of an https PUBLIC_URL is
 * known to be https. The same library may also be reached without https under another host, e.g. in a home network.
 */
export function isSecure({ protocol, host, server }: FastifyRequest) {
  return protocol === 'https' || server.publicUrl === `https://${host}`
}

const wellFormedHost = /^(?:\[[\da-f:.]{2,45}\]|[a-z\d_](?:[a-z\d._-]{0,252}[a-z\d_.])?)(?::\d{1,5})?$/i

/**
 * A trusted proxy may pass on what the visitor sent. Unless both forwarded values are plausible, both are ignored, so that
 * no link to `javascript://…` or to a made-up host is built from them.
 */
export function ignoreMalformedForwarding(app: FastifyInstance) {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    // Like Fastify, which believes the entry of the nearest proxy.
    const lastOf = (name: string) => headers[name]?.toString().split(',').at(-1)?.trim()
    const protocol = lastOf('x-forwarded-proto') ?? 'http'
    const host = lastOf('x-forwarded-host') ?? 'localhost'
    if (!/^https?$/.test(protocol) || !wellFormedHost.test(host)) {
      delete headers['x-forwarded-proto']
      delete headers['x-forwarded-host']
    }
    done()
  })
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Bounds the log and the memory when a client invents origins. */
const maxWarnings = 20
const refusal = 'This request came from another website and was refused.'
const advice = 'If this is the address of the library, an administrator needs to check PUBLIC_URL and TRUST_PROXY.'

/**
 * Refuses changes that another website's page requests. Browsers send the source of a request (Sec-Fetch-Site, else
 * Origin); a request with neither comes from a program, which holds no cookies of a browser.
 */
export function refuseForeignOrigins(app: FastifyInstance, publicUrl?: string) {
  const ownOrigin = publicUrl && new URL(publicUrl).origin
  const warnedOrigins = new Set<string>()
  app.addHook('onRequest', (request, _reply, done) => {
    if (safeMethods.has(request.method) || isSameOrigin(request, ownOrigin)) return done()
    // The browser's own verdict is certain; the comparison below may be wrong behind a proxy.
    const isCertain = request.headers['sec-fetch-site'] !== undefined
    if (!isCertain) warnOnce(request)
    done(new AppError('foreign-origin', 403, isCertain ? refusal : `${refusal} ${advice}`))
  })

  function warnOnce({ headers: { origin = '' }, log, protocol, host }: FastifyRequest) {
    if (warnedOrigins.has(origin) || warnedOrigins.size >= maxWarnings) return
    warnedOrigins.add(origin)
    const own = ownOrigin ?? `${protocol}://${host}`
    log.warn({ origin, own }, 'cross-site request refused; if the origin is yours, set PUBLIC_URL or TRUST_PROXY')
  }
}

function isSameOrigin(request: FastifyRequest, ownOrigin?: string) {
  const site = request.headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = request.headers
  if (origin === undefined) return true
  return origin === ownOrigin || origin === `${request.protocol}://${request.host}`
}
