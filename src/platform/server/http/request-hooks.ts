import type { FastifyInstance } from 'fastify'
import { stopping } from '#platform/errors.ts'

/** Reads JSON as Fastify does, but accepts an empty body, since many calls have none. No other content type is read. */
export function parseJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    return parse(request, body as string, done)
  })
}

/** Logs one line per API response, with the request id that users see in a 500; for pages and images only server errors. */
export function logResponses(app: FastifyInstance) {
  app.addHook('onResponse', ({ method, url, log }, reply, done) => {
    const status = reply.statusCode
    if (url.startsWith('/api/') || status >= 500) {
      log.info({ method, path: url.split('?')[0], status, ms: Math.round(reply.elapsedTime) }, 'request answered')
    }
    done()
  })
}

/** Replaces Fastify's `return503OnClosing`: requests on open connections get a 503 in the usual error format. */
export function refuseWhenClosing(app: FastifyInstance) {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', (_request, _reply, done) => done(isClosing ? stopping() : undefined))
}

/** Records every route that is registered from now on; the returned function lists the methods that a path supports. */
export function collectMethods(app: FastifyInstance) {
  const known: { method: string; segments: string[] }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) known.push({ method: each, segments: url.split('/') })
  })
  return (pathname: string) => {
    const given = pathname.split('/')
    const matching = known.filter(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, index) => (segment.startsWith(':') ? given[index] !== '' : segment === given[index])),
    )
    return [...new Set(matching.map(({ method }) => method))].sort()
  }
}
