import type { FastifyInstance, FastifyRequest } from 'fastify'
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

/** Refuses to start while any route has no scope. */
export function requireScopes(app: FastifyInstance) {
  const unguarded: string[] = []
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.access) unguarded.push(`${method} ${url}`)
  })
  app.addHook('onReady', async () => {
    if (unguarded.length > 0) throw new Error(`Routes outside every scope: ${unguarded.join(', ')}`)
  })
}
