import type { User } from '#features/auth/contract.ts'
import { describeOne, loadOwnedMedia } from '#features/media/server/store.ts'
import type { IngestServices } from '#features/upload/server/ingest.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { conversionApi } from '../contract.ts'
import { convertToWebp } from './convert.ts'
import { previewWebp } from './preview.ts'

export function conversionRoutes(scope: Scope<User>, services: IngestServices) {
  const { db } = services
  handle(scope, conversionApi.convertToWebp, async ({ params, body }, { user, origin }) => {
    const { row, ...outcome } = await convertToWebp(services, await loadOwnedMedia(db, user.id, params.id), body)
    return { ...outcome, media: await describeOne(db, row, origin) }
  })
  handle(scope, conversionApi.previewWebp, async ({ params, query }, { user }) =>
    previewWebp(services, await loadOwnedMedia(db, user.id, params.id), query.quality),
  )
}
