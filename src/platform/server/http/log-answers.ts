import type { FastifyInstance } from 'fastify'

/** One line per response of the API, with the request id that a bare 500 names; pictures and pages only after a server error. */
export function logAnswers(app: FastifyInstance) {
  app.addHook('onResponse', ({ method, url, log }, reply, done) => {
    const status = reply.statusCode
    if (url.startsWith('/api/') || status >= 500) {
      log.info({ method, path: url.split('?')[0], status, ms: Math.round(reply.elapsedTime) }, 'request answered')
    }
    done()
  })
}
