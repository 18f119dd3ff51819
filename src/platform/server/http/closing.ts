import type { FastifyInstance } from 'fastify'
import { stopping } from '#platform/errors.ts'

/** For a server without `return503OnClosing`: whoever still asks on an open connection is told as everywhere that it stops. */
export function refuseWhenClosing(app: FastifyInstance) {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', (_request, _reply, done) => done(isClosing ? stopping() : undefined))
}
