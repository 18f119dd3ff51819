import type { User } from '#features/auth/contract.ts'
import { authRoutes, openAuthRoutes } from '#features/auth/server/routes.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import type { Services } from './services.ts'

/** Which feature lives in which scope; the scope is the guard. */
export function openFeatures(scope: Scope<null>, services: Services) {
  healthRoutes(scope, services)
  openAuthRoutes(scope, services)
}

export function signedInFeatures(scope: Scope<User>, services: Services) {
  authRoutes(scope, services)
  eventRoutes(scope, services)
}

export function adminFeatures(_scope: Scope<User>, _services: Services) {}
