import multipart, { type FastifyMultipartOptions } from '@fastify/multipart'
import type { Returned, Route } from '#platform/contract.ts'
import { bindAnswer, type Call } from './handle.ts'
import type { Scope } from './scope.ts'

type Accepted = FastifyMultipartOptions & { isOfAnyLength?: boolean }

/** Binds a route that takes files. Multipart lives in a part of its own, so that no other route reads anything but JSON. */
export function handleUpload<R extends Route, Caller>(
  scope: Scope<Caller>,
  route: R,
  { isOfAnyLength, ...accepted }: Accepted,
  handler: (call: Call<Caller>) => Promise<Returned<R>>,
) {
  scope.app.register(async (app) => {
    await app.register(multipart, accepted)
    const config = { isLongUpload: true, isOfAnyLength }
    bindAnswer({ ...scope, app }, route, (_input, call) => handler(call), { config })
  })
}
