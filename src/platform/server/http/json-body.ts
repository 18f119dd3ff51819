import type { FastifyInstance } from 'fastify'

/** As Fastify reads JSON, except that no body at all is no fault: many calls have nothing to say. Nothing else is read. */
export function parseJson(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    return parse(request, body as string, done)
  })
}
