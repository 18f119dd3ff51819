import { Readable } from 'node:stream'
import multipart, { type FastifyMultipartOptions } from '@fastify/multipart'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { EventOf, HandlerResult, ParsedInput, Route } from '#platform/contract.ts'
import { AppError, invalid, tooLarge } from '#platform/errors.ts'
import { asChange, type ChangeCheck } from '../db/change.ts'
import { originOf } from './origin.ts'
import type { Scope } from './scope.ts'

export type Call<Caller> = {
  user: Caller
  /** See `originOf`. */
  origin: string
  request: FastifyRequest
  reply: FastifyReply
}

declare module 'fastify' {
  interface FastifyRequest {
    /** See [Note: Every change is checked]. */
    changeCheck?: ChangeCheck
  }
}

type Handler<R extends Route, Caller, Result> = (input: ParsedInput<R>, call: Call<Caller>) => Promise<Result> | Result

/** A handler that takes longer is stuck, and its caller gets an error. Streams and uploads have no such limit. */
const handlerTimeoutMs = 5 * 60_000

/** Binds a contract route to its handler; the contract validates the request and filters the response. */
export function handle<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: Handler<R, Caller, HandlerResult<R>>,
) {
  bindJson(scope, route, handler, route.isLong ? {} : { handlerTimeout: handlerTimeoutMs })
}

/** Binds a route whose response is a file or a stream of any duration, which the handler sends itself. */
export function handleFile<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: Handler<R, Caller, FastifyReply>,
) {
  // A HEAD request would leave the stream open, since nothing reads it.
  bind(scope, route, { exposeHeadRoute: false }, handler)
}

/** Binds a route that responds with server-sent events; the handler yields one value per event. */
export function handleStream<R extends Route & { events: z.ZodType }, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: (
    input: ParsedInput<R>,
    call: Call<Caller>,
  ) => AsyncIterable<EventOf<R>> | Promise<AsyncIterable<EventOf<R>>>,
) {
  handleFile(scope, route, async (input, call) => {
    const events = await handler(input, call)
    return sendEventStream(call.reply, Readable.from(serializeEvents(route.events, events)))
  })
}

type UploadOptions = FastifyMultipartOptions & { isOfAnyLength?: boolean }

/** Binds a route that takes files. The multipart parser is registered for this route alone, so all others read only JSON. */
export function handleUpload<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  { isOfAnyLength, ...multipartOptions }: UploadOptions,
  handler: (call: Call<Caller>, input: ParsedInput<R>) => Promise<HandlerResult<R>>,
) {
  scope.app.register(async (app) => {
    await app.register(multipart, multipartOptions)
    const config = { isLongUpload: true, isOfAnyLength }
    bindJson({ ...scope, app }, route, (input, call) => handler(call, input), { config })
  })
}

type Options = {
  config?: FastifyContextConfig
  handlerTimeout?: number
  exposeHeadRoute?: boolean
  /** The shape of each status that the contract names. */
  response?: Record<number, Route['response']>
}

function bindJson<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: Handler<R, Caller, HandlerResult<R>>,
  options: Options,
) {
  const status = route.success ?? 200
  bind(scope, route, { ...options, response: { [status]: route.response } }, async (input, call) => {
    call.reply.code(status)
    const result = await handler(input, call)
    // A handler that sends the response itself returns nothing; Fastify then wants the reply.
    return result === undefined ? (call.reply.sent ? call.reply : null) : result
  })
}

function bind<R extends Route, Caller>(
  { app, access, callerOf, routes }: Scope<Caller>,
  route: R,
  { config, response, ...options }: Options,
  handler: Handler<R, Caller, unknown>,
) {
  routes.push({ route, access })
  app.route({
    method: route.method,
    url: route.path,
    config: { ...config, access },
    ...options,
    schema: {
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(route.body && { body: route.body }),
      ...(response && { response }),
    },
    handler: async (request, reply) => {
      // The schemas above have validated this, which is what ParsedInput<R> states.
      const input = { params: request.params, query: request.query, body: request.body } as unknown as ParsedInput<R>
      return asChange(request.changeCheck, () =>
        handler(input, { user: callerOf(request), origin: originOf(request), request, reply }),
      )
    },
  })
}

/** Events contain only what the contract names, as responses do. */
async function* serializeEvents(shape: z.ZodType, events: AsyncIterable<unknown>) {
  for await (const event of events) yield `data: ${JSON.stringify(shape.parse(event))}\n\n`
}

/** Sends a stream that is already formatted as server-sent events. */
export function sendEventStream(reply: FastifyReply, stream: Readable) {
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies such as nginx would otherwise buffer the events.
      'x-accel-buffering': 'no',
    })
    .send(stream)
}

/** Sets the headers of a private download, which no cache may store. */
export function sendAsFile(reply: FastifyReply, name: string, type = 'application/zip') {
  return reply.headers({
    'content-type': type,
    'content-disposition': contentDisposition(name),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

/** Aborts when the client disconnects before the response has been sent. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once(
    'close',
    () => raw.writableFinished || controller.abort(new AppError('gone', 499, 'The request was canceled.')),
  )
  return controller.signal
}

/** The messages of one call for a request without a file, and for one with too many. */
type UploadMessages = { none: () => AppError; tooMany: string }

/** Translates the multipart parser's errors into messages for users; other errors are returned unchanged. */
export function explainMultipartError(error: unknown, { none, tooMany }: UploadMessages) {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, message, statusCode } = error as Error & { code?: string; statusCode?: number }
  if (code === 'FST_INVALID_MULTIPART_CONTENT_TYPE') return none()
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT') return tooLarge(tooMany)
  if (code === 'FST_MP_PREMATURE_CLOSE' || /multipart data/i.test(message))
    return invalid('The upload was interrupted. Please try again.')
  const isClientError = code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500
  // "needle" stands in the error for a boundary that is too long.
  return isClientError || /^Multipart:|needle/.test(message) ? invalid('The upload is malformed.') : error
}
