import type { User } from '#features/auth/contract.ts'
import { describeOne, loadOwnedMedia } from '#features/media/server/store.ts'
import { once } from '#platform/server/db/once.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { conversionApi } from '../contract.ts'
import { convertImage, previewWebp } from './convert.ts'
import { type BackgroundServices, previewWithoutBackground, removeBackground } from './remove-background.ts'

export function conversionRoutes(scope: Scope<User>, services: BackgroundServices) {
  const { db } = services
  handle(scope, conversionApi.convertToWebp, async ({ params, body: { runId, ...options } }, { user, origin }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    const request = { ownerId: user.id, kind: 'convert-webp', runId, request: [media.id, options] }
    const { mediaId, ...outcome } = await once(db, request, async () => {
      const { row, ...converted } = await convertImage(services, media, options)
      return { ...converted, mediaId: row.id }
    })
    return { ...outcome, media: await describeOne(db, await loadOwnedMedia(db, user.id, mediaId), origin) }
  })
  handle(scope, conversionApi.removeBackground, async ({ params, body: { runId, format } }, { user, origin }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    const request = { ownerId: user.id, kind: 'remove-background', runId, request: [media.id, format] }
    const copyId = await once(db, request, async () => (await removeBackground(services, media, { format })).id)
    const copy = await describeOne(db, await loadOwnedMedia(db, user.id, copyId), origin)
    return { media: copy, message: `Added "${copy.filename}".` }
  })
  handle(scope, conversionApi.previewWithoutBackground, async ({ params }, { user }) =>
    previewWithoutBackground(services, await loadOwnedMedia(db, user.id, params.id)),
  )
  handle(scope, conversionApi.previewWebp, async ({ params, query }, { user }) =>
    previewWebp(services, await loadOwnedMedia(db, user.id, params.id), query.quality),
  )
}
