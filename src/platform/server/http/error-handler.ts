import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, conflict, invalid, storageFull, tooLarge, unavailable, unsupportedType } from '#platform/errors.ts'
import { isDatabaseAway } from '../db/database-away.ts'
import { isGoneMeanwhile } from '../db/gone-meanwhile.ts'
import { withoutSecrets } from '../secrets.ts'
import { isDiskFull, isDiskReadOnly } from '../system-errors.ts'

type HandledError = FastifyError | AppError

/** Turns all errors into responses; an unknown one is logged and becomes a 500 that tells only the request id. */
export function handleErrors(app: FastifyInstance) {
  app.setErrorHandler((error: HandledError, request, reply) => {
    const body = prepareErrorResponse(error, request, reply)
    return reply.type('application/json').send(body)
  })
}

/** Logs an error and sets the status and headers of its response; returns the response's body. */
export function prepareErrorResponse(error: HandledError, request: FastifyRequest, reply: FastifyReply) {
  const known = error instanceof AppError ? error : toAppError(error, request)
  // The handler may have set the headers of a file before reading it failed.
  reply.removeHeader('content-disposition').header('cache-control', 'no-store')
  if (!known) {
    request.log.error({ err: error }, 'request failed unexpectedly')
    reply.code(500)
    const message = `Something went wrong on our end (request ${request.id}).`
    return { message, code: 'internal', requestId: request.id }
  }
  if (known.status >= 500) request.log[isAbortedByClient(request) ? 'info' : 'warn']({ err: error }, 'request failed')
  setRetryAfter(reply, known)
  reply.code(known.status)
  return { message: withoutSecrets(known.message), code: known.code, ...known.details }
}

/** The client disconnected while it was sending, which is no fault of the server. */
const isAbortedByClient = ({ raw }: FastifyRequest) => raw.destroyed && !raw.complete

export function setRetryAfter(reply: FastifyReply, { details: { retryAfterSeconds } }: AppError) {
  if (typeof retryAfterSeconds === 'number') reply.header('retry-after', Math.max(1, Math.ceil(retryAfterSeconds)))
}

/** Translates errors of the disk, of the database and of Fastify itself into messages for users; null for unknown errors. */
function toAppError(error: FastifyError, { routeOptions, log }: FastifyRequest) {
  if (isDiskFull(error)) return storageFull()
  if (isDiskReadOnly(error)) {
    return unavailable('The disk is not writable at the moment. Please contact your administrator.')
  }
  if (isDatabaseAway(error)) return unavailable('The database cannot be reached. Please try again in a moment.')
  if (isGoneMeanwhile(error)) {
    // Logged, since it may also be a bug of the server.
    log.warn({ err: error }, 'request referred to a deleted row')
    return conflict('Something this request refers to was deleted in the meantime. Please reload the page.')
  }
  if (error.code === 'FST_ERR_HANDLER_TIMEOUT') return unavailable('This took too long. Please try again.')
  const status = error.statusCode ?? 500
  if (status < 400 || status >= 500) return null
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge('The request is too large.')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return unsupportedType(
      `This call accepts ${routeOptions.config.isLongUpload ? 'multipart/form-data' : 'application/json'}.`,
    )
  }
  if (error instanceof SyntaxError || error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    return invalid('The request is not valid JSON.')
  }
  return new AppError('invalid', status, error.message)
}

/**
 * A URL that cannot be decoded or is far too long reaches no route, no hook and no error handler. Since nothing would
 * limit the time of its body, the connection ends with the response.
 */
export function handleBadUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close')
  const decodable = toDecodableUrl(error, request)
  if (decodable) return reply.redirect(decodable)
  reply.code(error.statusCode ?? 400).send({ message: 'This URL is not valid.', code: 'invalid' })
}

/** For a page that a user opens: the URL with invalid percent signs escaped, which leads to the "not found" page. */
function toDecodableUrl({ code }: FastifyError, { method, url, headers }: FastifyRequest) {
  const isPage = method === 'GET' && headers.accept?.includes('text/html')
  // A path that begins with two slashes would redirect to another website.
  if (code !== 'FST_ERR_BAD_URL' || !isPage || !/^\/\w/.test(url)) return null
  return url.replace(/^[^?]*/, (path) => path.replaceAll('%', '%25'))
}

const parserErrors: Record<string, [status: string, message: string, code: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.', 'too-slow'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.', 'too-large'],
}

/** Responds to bytes that Node could not parse as a request; there is only a socket, no reply object. */
export function handleClientError(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message, code] = parserErrors[error.code ?? ''] ?? [
    '400 Bad Request',
    'This is not an HTTP request.',
    'invalid',
  ]
  const body = JSON.stringify({ message, code })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`
  if (socket.writable) socket.write(`${head}\r\n\r\n${body}`)
  socket.destroySoon()
}
