import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitConcurrencyPerKey } from '#shared/concurrency.ts'
import { leaving } from './leaving.ts'
import type { Scope } from './scope.ts'

/** What every call takes need not wait. */
const usualBytes = 1024 * 1024
const readOfOne = 1
const readOfAll = 8

/**
 * Routes that are bound in here take bodies of so many bytes; for every other a megabyte is enough. A body lies in memory as a
 * whole until it is understood, so few are read at once, and whoever leaves one half is in nobody's way but their own.
 */
export function withLargeBodies<Caller extends { id: number }>(
  scope: Scope<Caller>,
  maxBytes: number,
  bind: (part: Scope<Caller>) => void,
) {
  const takeTurn = createTurns()
  const ends = new WeakMap<FastifyRequest, () => void>()
  scope.app.register(async (app) => {
    app.addHook('onRoute', (route) => {
      route.bodyLimit = maxBytes
    })
    app.addHook('onRequest', async (request, reply) => {
      if (!mayBeLarge(request)) return
      ends.set(request, await takeTurn(scope.callerOf(request).id, reply))
    })
    app.addHook('preHandler', async (request) => ends.get(request)?.())
    bind({ ...scope, app })
  })
}

/** One that comes piece by piece does not tell how long it is. */
const mayBeLarge = ({ headers }: FastifyRequest) =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > usualBytes

/** Waits until a body of this person may be read; what it gives back ends the turn, as does the end of the answer. */
function createTurns() {
  const [ofOne, ofAll] = [limitConcurrencyPerKey(readOfOne), limitConcurrencyPerKey(readOfAll)]

  return async function takeTurn(personId: number, reply: FastifyReply) {
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    reply.raw.once('close', ended.resolve)
    const signal = leaving(reply)
    const hold = async () => {
      begun.resolve()
      await ended.promise
    }
    ofOne.run(personId, signal, () => ofAll.run('all', signal, hold)).catch(begun.reject)
    await begun.promise
    return ended.resolve
  }
}
