import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import type { User } from '#features/auth/contract.ts'
import { mediaApi } from '#features/media/contract.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { loadOwnedMedia } from '#features/media/server/store.ts'
import { notConfigured } from '#platform/errors.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { imageKitApi } from '../contract.ts'
import { loadMigration, type MigrationServices, startMigration, stopMigration } from './migration.ts'
import { syncName } from './sync-name.ts'

export type ImageKitServices = Omit<MigrationServices, 'imageKit'> & { imageKit: ImageKitEngine | undefined }

export function configured<S extends ImageKitServices>(services: S) {
  const { imageKit } = services
  if (!imageKit) {
    throw notConfigured('ImageKit is not configured: set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT.')
  }
  return { ...services, imageKit }
}

export function imageKitRoutes(scope: Scope<User>, services: ImageKitServices) {
  handle(scope, mediaApi.syncImageKitName, async ({ params, body }, { user }) => {
    const media = await loadOwnedMedia(services.db, user.id, params.id)
    const answer = await syncName(configured(services), media, body.newName)
    await announceMedia(services.events, user.id, [media.id])
    return answer
  })
}

export function imageKitAdminRoutes(scope: Scope<User>, services: ImageKitServices) {
  handle(scope, imageKitApi.migrate, () => startMigration(configured(services), 'out'))
  handle(scope, imageKitApi.freeLocal, () => startMigration(configured(services), 'free'))
  handle(scope, imageKitApi.moveBack, () => startMigration(configured(services), 'back'))
  handle(scope, imageKitApi.state, async () => ({
    ...(await loadMigration(services)),
    isConfigured: services.imageKit !== undefined,
  }))
  handle(scope, imageKitApi.stop, async () => {
    await stopMigration(services)
    return { message: 'Stopping after the current file.' }
  })
}
