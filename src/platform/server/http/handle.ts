import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { Received, Returned, Route } from '#platform/contract.ts'
import { originOf } from './origin.ts'
import type { Scope } from './scope.ts'

export type Call<Caller> = {
  user: Caller
  /** See `originOf`. */
  origin: string
  request: FastifyRequest
  reply: FastifyReply
}

type Handler<R extends Route, Caller, Outcome> = (input: Received<R>, call: Call<Caller>) => Promise<Outcome> | Outcome

/** A call that has not answered by then never will; whoever waits is told so. Streams and uploads have no such end. */
const answerWithinMs = 5 * 60_000

/** Binds a contract route to its handler; the contract is the validator on the way in and the allow-list on the way out. */
export function handle<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: Handler<R, Caller, Returned<R>>,
) {
  bindAnswer(scope, route, handler, route.isLong ? {} : { handlerTimeout: answerWithinMs })
}

/** Binds a route whose answer is a file or a stream, however long that lasts; the handler sends it itself. */
export function handleFile<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: Handler<R, Caller, FastifyReply>,
) {
  // Whoever asks for the head only would leave the stream open behind them.
  bind(scope, route, { exposeHeadRoute: false }, handler)
}

type Options = {
  config?: FastifyContextConfig
  handlerTimeout?: number
  exposeHeadRoute?: boolean
  /** The shape of each status that the contract names. */
  response?: Record<number, Route['response']>
}

export function bindAnswer<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: Handler<R, Caller, Returned<R>>,
  options: Options,
) {
  const status = route.success ?? 200
  bind(scope, route, { ...options, response: { [status]: route.response } }, async (input, call) => {
    call.reply.code(status)
    const answer = await handler(input, call)
    // A handler that sends something itself gives the reply back.
    return answer === undefined ? (call.reply.sent ? call.reply : null) : answer
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
      // Validated by the schemas above, which is what Received<R> says.
      const input = { params: request.params, query: request.query, body: request.body } as unknown as Received<R>
      return handler(input, { user: callerOf(request), origin: originOf(request), request, reply })
    },
  })
}
