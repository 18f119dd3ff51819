import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** One line per answer of the API, with the request id that a bare 500 names; pictures and pages only when something broke. */
export function logAnswers(app: FastifyInstance) {
  app.addHook('onResponse', (request, reply, done) => {
    if (request.url.startsWith('/api/') || reply.statusCode >= 500) logAnswer(request, reply)
    done()
  })
}

function logAnswer(request: FastifyRequest, reply: FastifyReply) {
  const fields = {
    method: request.method,
    path: request.url.split('?')[0],
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
  }
  request.log.info(fields, 'request answered')
}
