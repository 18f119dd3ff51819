import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/** One line per answer of the API, with the request id that a bare 500 names; pictures and pages only when something broke. */
export function logAnswers(app: FastifyInstance) {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, log } = request
    const status = reply.statusCode
    if (url.startsWith('/api/') || status >= 500) {
      logAnswered(log, { method, url, status, ms: Math.round(reply.elapsedTime) })
    }
    done()
  })
}

type Answered = { reqId?: string; method: string; url: string; status: number; ms: number }

export function logAnswered(log: FastifyBaseLogger, { url, ...answered }: Answered) {
  log.info({ ...answered, path: url.split('?')[0] }, 'request answered')
}
