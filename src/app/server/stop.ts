import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Services } from './services.ts'

/** Lets open requests and running jobs finish, at most `drainMs` long, then closes what is still open. */
export async function stop(app: FastifyInstance, services: Services, drainMs: number) {
  const timeout = new AbortController()
  const drained = Promise.all([services.jobs.stop(drainMs / 2), app.close()])
  // Browsers keep idle connections open, which would delay the stop.
  const sweeping = setInterval(() => app.server.closeIdleConnections(), 50)
  await Promise.race([drained, delay(drainMs, undefined, timeout).catch(() => {})])
  clearInterval(sweeping)
  timeout.abort()
  app.server.closeAllConnections()
  await services.close()
}
