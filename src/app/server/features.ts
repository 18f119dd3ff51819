import { adminRoutes } from '#features/admin/server/routes.ts'
import { analysisRoutes } from '#features/analysis/server/routes.ts'
import { auditRoutes } from '#features/audit/server/routes.ts'
import type { User } from '#features/auth/contract.ts'
import { authRoutes, openAuthRoutes } from '#features/auth/server/routes.ts'
import { backupRoutes } from '#features/backups/server/routes.ts'
import { bulkRoutes } from '#features/bulk-actions/server/routes.ts'
import { collectionRoutes } from '#features/collections/server/routes.ts'
import { conversionRoutes } from '#features/conversion/server/routes.ts'
import { databaseViewerRoutes } from '#features/database-viewer/server/routes.ts'
import { deliveredFileRoutes } from '#features/delivery/server/file-routes.ts'
import { deliveryRoutes } from '#features/delivery/server/routes.ts'
import { firstStepsRoutes } from '#features/first-steps/server/routes.ts'
import { imageKitAdminRoutes, imageKitRoutes } from '#features/imagekit/server/routes.ts'
import { fileRoutes } from '#features/media/server/files/routes.ts'
import { mediaRoutes } from '#features/media/server/routes.ts'
import { scraperRoutes } from '#features/scraper/server/routes.ts'
import { createPageCache } from '#features/sharing/server/page-cache.ts'
import { publicPageRoutes } from '#features/sharing/server/page-routes.ts'
import { publicRoutes } from '#features/sharing/server/public-routes.ts'
import { sharingRoutes } from '#features/sharing/server/routes.ts'
import { tagRoutes } from '#features/tags/server/routes.ts'
import { uploadRoutes } from '#features/upload/server/routes.ts'
import { versionRoutes } from '#features/versions/server/routes.ts'
import { websiteRoutes } from '#features/websites/server/routes.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { configuredServiceRoutes } from './routes/configured-services.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import type { Services } from './services.ts'

/** Includes the folder of the built client, since public pages refer to its files. */
type PageServices = Services & { clientDir: string }

/** Registers each feature in its scope, which is its guard. */
export function openFeatures(scope: Scope<null>, services: PageServices) {
  healthRoutes(scope, services)
  openAuthRoutes(scope, services)
  fileRoutes(scope, services)
  deliveredFileRoutes(scope, services)
  const shown = { ...services, pages: createPageCache(services.events) }
  publicRoutes(scope, shown)
  publicPageRoutes(scope, shown)
}

export function signedInFeatures(scope: Scope<User>, services: PageServices) {
  authRoutes(scope, services)
  eventRoutes(scope, services)
  configuredServiceRoutes(scope, services)
  mediaRoutes(scope, services)
  uploadRoutes(scope, services)
  conversionRoutes(scope, services)
  versionRoutes(scope, services)
  collectionRoutes(scope, services)
  websiteRoutes(scope, services)
  sharingRoutes(scope, services)
  deliveryRoutes(scope, services)
  analysisRoutes(scope, services)
  bulkRoutes(scope, services)
  tagRoutes(scope, services)
  imageKitRoutes(scope, services)
  scraperRoutes(scope, services)
  auditRoutes(scope, services)
  firstStepsRoutes(scope, services)
}

export function adminFeatures(scope: Scope<User>, services: Services) {
  adminRoutes(scope, services)
  backupRoutes(scope, services)
  databaseViewerRoutes(scope, services)
  imageKitAdminRoutes(scope, services)
}
