import type { FastifyReply, FastifyRequest } from 'fastify'
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

/** A call that has not answered by then never will; whoever waits is told so. Streams and uploads have no such end. */
const answerWithinMs = 5 * 60_000

/** Binds a contract route to its handler; the contract is the validator on the way in and the allow-list on the way out. */
export function handle<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: (input: Received<R>, call: Call<Caller>) => Promise<Returned<R>> | Returned<R>,
) {
  const { app, access, callerOf, routes } = scope
  routes.push({ route, access })
  const status = route.success ?? 200
  app.route({
    method: route.method,
    url: route.path,
    config: { access },
    ...(!route.isLong && { handlerTimeout: answerWithinMs }),
    schema: {
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(route.body && { body: route.body }),
      response: { [status]: route.response },
    },
    handler: async (request, reply) => {
      // Validated by the schemas above, which is what Received<R> says.
      const input = { params: request.params, query: request.query, body: request.body } as unknown as Received<R>
      reply.code(status)
      const answer = await handler(input, { user: callerOf(request), origin: originOf(request), request, reply })
      // A handler that sends a file or a stream itself gives the reply back.
      return answer === undefined ? (reply.sent ? reply : null) : answer
    },
  })
}
