import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Access } from '#platform/server/http/scope.ts'

export type RegisteredRoute = { name: string; method: string; url: string; access: Access }

/** Starts the product and returns it with all routes it registered; `prepare` gets the server before the first of them. */
export async function withRegisteredRoutes<T>(start: () => Promise<T>, prepare?: (server: FastifyInstance) => void) {
  const bound: RouteOptions[] = []
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', (route) => void bound.push(route))
    prepare?.(fastify)
  }
  subscribe('fastify.initialization', watch)
  // The next product registers its own routes, also when this one failed to start.
  const product = await start().finally(() => unsubscribe('fastify.initialization', watch))
  const routes = bound.flatMap(({ method, url, config }) =>
    [method]
      .flat()
      .map((each): RegisteredRoute => ({ name: `${each} ${url}`, method: each, url, access: config!.access! })),
  )
  return { product, routes }
}
