import type { FastifyError, FastifyInstance } from 'fastify'
import { AppError } from '#platform/errors.ts'

/** One place turns faults into answers; what it does not know it logs once and answers as a bare 500. */
export function answerErrors(app: FastifyInstance) {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const known = error instanceof AppError ? error : fromFastify(error)
    if (!known) {
      request.log.error({ err: error }, 'request failed unexpectedly')
      return reply.code(500).send({
        message: `Something went wrong on our side (request ${request.id}).`,
        code: 'internal',
        requestId: request.id,
      })
    }
    const { retryAfterSeconds } = known.details
    if (typeof retryAfterSeconds === 'number') reply.header('retry-after', Math.max(1, Math.ceil(retryAfterSeconds)))
    return reply.code(known.status).send({ message: known.message, code: known.code, ...known.details })
  })
}

/** Fastify's own refusals (a body too large, broken JSON, a foreign content type) in our words. */
function fromFastify(error: FastifyError) {
  const status = error.statusCode ?? 500
  if (status < 400 || status >= 500) return null
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('too-large', 413, 'The request is too large.')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported-type', 415, 'This call takes application/json.')
  }
  if (error instanceof SyntaxError || error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    return new AppError('invalid', 400, 'The request is not valid JSON.')
  }
  return new AppError('invalid', status, error.message)
}
