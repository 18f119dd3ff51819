import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Route } from '#platform/contract.ts'

/**
 * [Note: Three scopes]
 * Every route belongs to one of three scopes, which build-app.ts opens: open, signed in, admin. The guard belongs to
 * the scope, so a route cannot forget it, and the server does not start with a route outside every scope.
 */
export type Access = 'open' | 'signed-in' | 'admin'

export type BoundRoute = { route: Route; access: Access }

/** Where routes are registered; `Caller` is what the scope's guard knows about the user. */
export type Scope<Caller> = {
  app: FastifyInstance
  access: Access
  callerOf: (request: FastifyRequest) => Caller
  /** The routes bound so far in all scopes, from which the OpenAPI document is made. */
  routes: BoundRoute[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
}

/** Stops the start when a route has no scope; checked when all routes are registered. */
export function requireScopes(app: FastifyInstance) {
  const known: RouteOptions[] = []
  app.addHook('onRoute', (route) => void known.push(route))
  app.addHook('onReady', async () => {
    const unguarded = known.filter(({ config }) => !config?.access).map(({ method, url }) => `${method} ${url}`)
    if (unguarded.length > 0) throw new Error(`Routes outside every scope: ${unguarded.join(', ')}`)
  })
}
