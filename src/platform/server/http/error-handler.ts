import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, conflict, invalid, storageFull, tooLarge, unavailable, unsupportedType } from '#platform/errors.ts'
import { isDatabaseAway } from '../db/database-away.ts'
import { isGoneMeanwhile } from '../db/gone-meanwhile.ts'
import { isDiskFailing, isDiskFull } from '../disk-faults.ts'

type Fault = FastifyError | AppError

/** One place turns faults into answers; what it does not know it logs once and answers as a bare 500. */
export function answerErrors(app: FastifyInstance) {
  app.setErrorHandler((error: Fault, request, reply) => {
    const told = takeFault(error, request, reply)
    return reply.type('application/json').send(told)
  })
}

/** Logs a fault and sets the status and headers of its answer; gives what is told. */
export function takeFault(error: Fault, request: FastifyRequest, reply: FastifyReply) {
  const known = error instanceof AppError ? error : inOurWords(error, request)
  // A file may have been announced, and how long it may be kept, before its first byte could not be read.
  reply.removeHeader('content-disposition').header('cache-control', 'no-store')
  if (!known) {
    request.log.error({ err: error }, 'request failed unexpectedly')
    reply.code(500)
    const message = `Something went wrong on our side (request ${request.id}).`
    return { message, code: 'internal', requestId: request.id }
  }
  if (known.status >= 500) request.log[isBrokenOff(request) ? 'info' : 'warn']({ err: error }, 'request failed')
  setRetryAfter(reply, known)
  reply.code(known.status)
  return { message: known.message, code: known.code, ...known.details }
}

/** Whoever sent it left in the middle, which nobody here can mend. */
const isBrokenOff = ({ raw }: FastifyRequest) => raw.destroyed && !raw.complete

export function setRetryAfter(reply: FastifyReply, { details: { retryAfterSeconds } }: AppError) {
  if (typeof retryAfterSeconds === 'number') reply.header('retry-after', Math.max(1, Math.ceil(retryAfterSeconds)))
}

/** What may befall any request (a full or failing disk, a database that is away, an account that goes meanwhile) and Fastify's own refusals (a body too large, broken JSON, a foreign content type) in our words. */
function inOurWords(error: FastifyError, { routeOptions, log }: FastifyRequest) {
  if (isDiskFull(error)) return storageFull()
  if (isDiskFailing(error)) {
    return unavailable('The disk cannot be written to at the moment. An administrator has to look at it.')
  }
  if (isDatabaseAway(error)) return unavailable('The database cannot be reached. Please try again in a moment.')
  if (isGoneMeanwhile(error)) {
    // Or a fault of ours, which nobody would find without these words.
    log.warn({ err: error }, 'what a request belongs to was deleted meanwhile')
    return conflict('What this belongs to was deleted meanwhile. Please load the page again.')
  }
  if (error.code === 'FST_ERR_HANDLER_TIMEOUT') return unavailable('This took too long. Please try again.')
  const status = error.statusCode ?? 500
  if (status < 400 || status >= 500) return null
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge('The request is too large.')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return unsupportedType(
      `This call takes ${routeOptions.config.isLongUpload ? 'multipart/form-data' : 'application/json'}.`,
    )
  }
  if (error instanceof SyntaxError || error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    return invalid('The request is not valid JSON.')
  }
  return new AppError('invalid', status, error.message)
}

/**
 * An address that cannot be decoded or is far too long never reaches a route, nor the handler above, nor the hook that cuts a
 * slow body: so the connection ends with the answer.
 */
export function answerBadAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close')
  const readable = readableAddress(error, request)
  if (readable) return reply.redirect(readable)
  reply.code(error.statusCode ?? 400).send({ message: 'This address cannot be read.', code: 'invalid' })
}

/** A person is led to where a page tells them that nothing is there: a percent sign that stands for nothing is taken as it stands. */
function readableAddress({ code }: FastifyError, { method, url, headers }: FastifyRequest) {
  const isOpened = method === 'GET' && headers.accept?.includes('text/html')
  // What begins with two slashes would be another website's.
  if (code !== 'FST_ERR_BAD_URL' || !isOpened || !/^\/\w/.test(url)) return null
  return url.replace(/^[^?]*/, (path) => path.replaceAll('%', '%25'))
}

const unreadable: Record<string, [status: string, message: string, code: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.', 'too-slow'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.', 'too-large'],
}

/** Bytes that never became a request: there is no reply to send, only a socket. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message, code] = unreadable[error.code ?? ''] ?? [
    '400 Bad Request',
    'This is no HTTP request.',
    'invalid',
  ]
  const body = JSON.stringify({ message, code })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`
  if (socket.writable) socket.write(`${head}\r\n\r\n${body}`)
  socket.destroySoon()
}
