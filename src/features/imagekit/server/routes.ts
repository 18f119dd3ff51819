import type { ImageKitEngine } from '#engines/imagekit/imagekit-engine.ts'
import type { User } from '#features/auth/contract.ts'
import { mediaApi } from '#features/media/contract.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { loadOwnedMedia } from '#features/media/server/store.ts'
import { notConfigured } from '#platform/errors.ts'
import type { Events } from '#platform/server/events/events.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { imageKitApi } from '../contract.ts'
import { type CopyServices, syncName } from './copies.ts'
import { comeBack, loadMigration, migrationKind, runMigration, startMigration, stopMigration } from './migration.ts'

type Services = Omit<CopyServices, 'imageKit'> & {
  imageKit: ImageKitEngine | undefined
  jobs: Jobs
  events: Events
}

function configured<S extends Services>(services: S) {
  const { imageKit } = services
  if (!imageKit) {
    throw notConfigured('ImageKit is not configured: set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT.')
  }
  return { ...services, imageKit }
}

export function imageKitRoutes(scope: Scope<User>, services: Services) {
  handle(scope, mediaApi.syncImageKitName, async ({ params, body }, { user }) => {
    const media = await loadOwnedMedia(services.db, user.id, params.id)
    const answer = await syncName(configured(services), media, body.newName)
    await announceMedia(services.events, user.id, [media.id])
    return answer
  })
}

export function imageKitAdminRoutes(scope: Scope<User>, services: Services) {
  handle(scope, imageKitApi.migrate, () => startMigration(configured(services)))
  handle(scope, imageKitApi.state, async () => ({
    ...(await loadMigration(services)),
    isConfigured: services.imageKit !== undefined,
  }))
  handle(scope, imageKitApi.stop, async () => {
    await stopMigration(configured(services))
    return { message: 'The copying stops after the current file.' }
  })
  handle(scope, imageKitApi.comeBack, () => comeBack(configured(services)))
}

export function workOnImageKit(services: Services) {
  services.jobs.work(migrationKind, { concurrency: 1 }, (_payload, { signal }) =>
    runMigration(configured(services), signal),
  )
}
