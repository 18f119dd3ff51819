import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitConcurrencyPerKey } from '#shared/concurrency.ts'
import { abortOnDisconnect } from './handle.ts'
import type { Scope } from './scope.ts'

/** A body up to the usual limit does not wait. */
const usualBytes = 1024 * 1024
const maxReadsPerUser = 1
const maxReads = 8

/**
 * Raises the body limit of the routes that `bind` registers; for all others a megabyte is enough. A body stays in memory
 * until it is parsed, so few are read at a time, and a body that stalls blocks only its own user.
 */
export function withLargeBodies<Caller extends { id: number }>(
  scope: Scope<Caller>,
  maxBytes: number,
  bind: (part: Scope<Caller>) => void,
) {
  const takeSlot = createSlots()
  const releases = new WeakMap<FastifyRequest, () => void>()
  scope.app.register(async (app) => {
    app.addHook('onRoute', (route) => {
      route.bodyLimit = maxBytes
    })
    app.addHook('onRequest', async (request, reply) => {
      if (!mayBeLarge(request)) return
      releases.set(request, await takeSlot(scope.callerOf(request).id, reply))
    })
    app.addHook('preHandler', async (request) => releases.get(request)?.())
    bind({ ...scope, app })
  })
}

/** A chunked body does not announce its length. */
const mayBeLarge = ({ headers }: FastifyRequest) =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > usualBytes

/** Waits until a body of this user may be read; the returned function frees the slot, as does the end of the response. */
function createSlots() {
  const [perUser, overall] = [limitConcurrencyPerKey(maxReadsPerUser), limitConcurrencyPerKey(maxReads)]

  return async function takeSlot(userId: number, reply: FastifyReply) {
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    reply.raw.once('close', ended.resolve)
    const signal = abortOnDisconnect(reply)
    const hold = async () => {
      started.resolve()
      await ended.promise
    }
    perUser.run(userId, signal, () => overall.run('all', signal, hold)).catch(started.reject)
    await started.promise
    return ended.resolve
  }
}
