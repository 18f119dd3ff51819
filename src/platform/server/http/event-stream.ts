import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { EventOf, Received, Route } from '#platform/contract.ts'
import { type Call, handleFile } from './handle.ts'
import type { Scope } from './scope.ts'

/** Binds a route that answers with server-sent events; the handler yields one value per event. */
export function handleStream<R extends Route & { events: z.ZodType }, Caller>(
  scope: Scope<Caller>,
  route: R,
  handler: (input: Received<R>, call: Call<Caller>) => AsyncIterable<EventOf<R>> | Promise<AsyncIterable<EventOf<R>>>,
) {
  handleFile(scope, route, async (input, call) => {
    const events = await handler(input, call)
    return sendEventStream(call.reply, Readable.from(asText(route.events, events)))
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
