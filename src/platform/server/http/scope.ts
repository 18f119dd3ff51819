import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Route } from '#platform/contract.ts'

/**
 * [Note: Three scopes]
 * Every route lives in one of three scopes, opened once in build-app.ts: open, signed in, admin. The guard belongs to
 * the scope, so a route cannot forget it, and a route outside every scope stops the start.
 */
export type Access = 'open' | 'signed-in' | 'admin'

export type BoundRoute = { route: Route; access: Access }

/** A place to register routes in; `Caller` is who the scope's guard lets through. */
export type Scope<Caller> = {
  app: FastifyInstance
  access: Access
  callerOf: (request: FastifyRequest) => Caller
  /** What has been bound so far, in any scope: the OpenAPI page is made from it. */
  routes: BoundRoute[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
}

/** Refuses to start while any route has no scope; asked at the end, since a scope may be named after its routes. */
export function requireScopes(app: FastifyInstance) {
  const known: RouteOptions[] = []
  app.addHook('onRoute', (route) => void known.push(route))
  app.addHook('onReady', async () => {
    const unguarded = known.filter(({ config }) => !config?.access).map(({ method, url }) => `${method} ${url}`)
    if (unguarded.length > 0) throw new Error(`Routes outside every scope: ${unguarded.join(', ')}`)
  })
}
