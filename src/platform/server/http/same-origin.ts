import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Whoever invents origins does not fill the log, nor the memory. */
const maxNamed = 20
const refusal = 'This change was asked for by another website and was refused.'
const advice = 'If this is its own address, an administrator has to look at PUBLIC_URL and TRUST_PROXY.'

/**
 * A change that another website's page asks for is refused. Browsers say where a request comes from (Sec-Fetch-Site,
 * else Origin); a request that carries neither is no browser's, and has no cookie that it did not fetch itself.
 */
export function refuseForeignOrigins(app: FastifyInstance, publicUrl?: string) {
  const ownOrigin = publicUrl && new URL(publicUrl).origin
  const named = new Set<string>()
  app.addHook('onRequest', (request, _reply, done) => {
    if (safeMethods.has(request.method) || isOwnPage(request, ownOrigin)) return done()
    // A browser that compares by itself is right; what is compared here may be wrong behind a proxy.
    const isCertain = request.headers['sec-fetch-site'] !== undefined
    if (!isCertain) warnOnce(request)
    done(new AppError('foreign-origin', 403, isCertain ? refusal : `${refusal} ${advice}`))
  })

  function warnOnce({ headers: { origin = '' }, log, protocol, host }: FastifyRequest) {
    if (named.has(origin) || named.size >= maxNamed) return
    named.add(origin)
    const own = ownOrigin ?? `${protocol}://${host}`
    log.warn(
      { origin, own },
      'change refused as another website’s; if origin is your own, set PUBLIC_URL or TRUST_PROXY',
    )
  }
}

function isOwnPage(request: FastifyRequest, ownOrigin?: string) {
  const site = request.headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = request.headers
  if (origin === undefined) return true
  return origin === ownOrigin || origin === `${request.protocol}://${request.host}`
}
