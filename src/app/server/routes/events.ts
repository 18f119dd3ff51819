import { PassThrough } from 'node:stream'
import type { User } from '#features/auth/contract.ts'
import { sendEventStream } from '#platform/server/http/event-stream.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { appApi } from '../../contract.ts'
import type { Services } from '../services.ts'

/** Often enough that no proxy takes the line for dead. */
const heartbeatMs = 20_000

export function eventRoutes({ app, access, callerOf, routes }: Scope<User>, { events }: Pick<Services, 'events'>) {
  const open = new Set<PassThrough>()
  routes.push({ route: appApi.events, access })

  app.get(appApi.events.path, { config: { access } }, (request, reply) => {
    const stream = new PassThrough()
    const lastEventId = request.headers['last-event-id']
    stream.write(': connected\n\n')
    const unsubscribe = events.subscribe(callerOf(request).id, lastEventId?.toString(), (id, event) => {
      stream.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`)
    })
    const heartbeat = setInterval(() => stream.write(': still here\n\n'), heartbeatMs)
    open.add(stream)
    stream.on('close', () => {
      clearInterval(heartbeat)
      unsubscribe()
      open.delete(stream)
    })
    return sendEventStream(reply, stream)
  })

  // An orderly stop ends the streams; browsers connect again, to the next process.
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end()
  })
}
