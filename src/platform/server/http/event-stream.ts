import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { EventOf, Received, Route } from '#platform/contract.ts'
import type { Call } from './handle.ts'
import { originOf } from './origin.ts'
import type { Scope } from './scope.ts'

/** Binds a route that answers with server-sent events; the handler yields one value per event. */
export function handleStream<R extends Route & { events: z.ZodType }, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: (input: Received<R>, call: Call<Caller>) => AsyncIterable<EventOf<R>> | Promise<AsyncIterable<EventOf<R>>>,
) {
  const { app, access, callerOf, routes } = scope
  routes.push({ route, access })
  app.route({
    method: route.method,
    url: route.path,
    config: { access },
    // Whoever asks for the head only would leave the stream open behind them.
    exposeHeadRoute: false,
    schema: { ...(route.query && { querystring: route.query }), ...(route.body && { body: route.body }) },
    handler: async (request, reply) => {
      const input = { query: request.query, body: request.body } as unknown as Received<R>
      const events = await handler(input, { user: callerOf(request), origin: originOf(request), request, reply })
      return sendEventStream(reply, Readable.from(asText(route.events, events)))
    },
  })
}

/** Sends what is already in the text form of server-sent events. */
export function sendEventStream(reply: FastifyReply, stream: Readable) {
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies such as nginx would collect the events before they pass them on.
      'x-accel-buffering': 'no',
    })
    .send(stream)
}

/** Events hold what the contract names and nothing else, as answers do. */
async function* asText(shape: z.ZodType, events: AsyncIterable<unknown>) {
  for await (const event of events) yield `data: ${JSON.stringify(shape.parse(event))}\n\n`
}
