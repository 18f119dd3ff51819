import type { FastifyInstance } from 'fastify'

/** One line per answer of the API, with the request id that a bare 500 names; pictures and pages only when something broke. */
export function logAnswers(app: FastifyInstance) {
  app.addHook('onResponse', async (request, reply) => {
    const isInteresting = request.url.startsWith('/api/') || reply.statusCode >= 500
    if (!isInteresting) return
    const fields = {
      method: request.method,
      path: request.url.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    request.log.info(fields, 'request answered')
  })
}
