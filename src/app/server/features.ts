import type { User } from '#features/auth/contract.ts'
import { authRoutes, openAuthRoutes } from '#features/auth/server/routes.ts'
import { bulkRoutes } from '#features/bulk-actions/server/routes.ts'
import { collectionRoutes } from '#features/collections/server/routes.ts'
import { conversionRoutes } from '#features/conversion/server/routes.ts'
import { fileRoutes } from '#features/media/server/files/routes.ts'
import { mediaRoutes } from '#features/media/server/routes.ts'
import { scraperRoutes } from '#features/scraper/server/routes.ts'
import { uploadRoutes } from '#features/upload/server/routes.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import type { Services } from './services.ts'

/** Which feature lives in which scope; the scope is the guard. */
export function openFeatures(scope: Scope<null>, services: Services) {
  healthRoutes(scope, services)
  openAuthRoutes(scope, services)
  fileRoutes(scope, services)
}

export function signedInFeatures(scope: Scope<User>, services: Services) {
  authRoutes(scope, services)
  eventRoutes(scope, services)
  mediaRoutes(scope, services)
  uploadRoutes(scope, services)
  conversionRoutes(scope, services)
  collectionRoutes(scope, services)
  bulkRoutes(scope, services)
  scraperRoutes(scope, services)
}

export function adminFeatures(_scope: Scope<User>, _services: Services) {}
