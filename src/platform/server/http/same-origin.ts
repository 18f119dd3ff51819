import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A change that another website's page asks for is refused. Browsers say where a request comes from (Sec-Fetch-Site,
 * else Origin); a request that carries neither is no browser's, and has no cookie that it did not fetch itself.
 */
export function refuseForeignOrigins(app: FastifyInstance, publicUrl?: string) {
  const ownOrigin = publicUrl && new URL(publicUrl).origin
  app.addHook('onRequest', (request, _reply, done) => {
    if (safeMethods.has(request.method) || isOwnPage(request, ownOrigin)) return done()
    done(new AppError('foreign-origin', 403, 'This change was asked for by another website and was refused.'))
  })
}

function isOwnPage(request: FastifyRequest, ownOrigin?: string) {
  const site = request.headers['sec-fetch-site']
  if (site) return site === 'same-origin' || site === 'none'
  const { origin } = request.headers
  if (origin === undefined) return true
  return origin === ownOrigin || origin === `${request.protocol}://${request.host}`
}
