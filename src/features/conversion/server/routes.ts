import type { User } from '#features/auth/contract.ts'
import { describeOne, loadOwnedMedia } from '#features/media/server/store.ts'
import { once } from '#platform/server/db/once.ts'
import { abortOnDisconnect, handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { limitConcurrencyPerKey } from '#shared/concurrency.ts'
import { conversionApi } from '../contract.ts'
import { convertImage, previewConversion } from './convert.ts'
import { type BackgroundServices, previewWithoutBackground, removeBackground } from './remove-background.ts'

/** Backgrounds that one user removes at once, outside of runs, so that others' pictures are analyzed meanwhile. */
const backgroundsAtOnce = 2

export function conversionRoutes(scope: Scope<User>, services: BackgroundServices) {
  const { db } = services
  const slots = limitConcurrencyPerKey(backgroundsAtOnce)
  handle(scope, conversionApi.convertToWebp, async ({ params, body: { runId, ...options } }, { user, origin }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    const request = { ownerId: user.id, kind: 'convert-webp', runId, request: [media.id, options] }
    const { mediaId, ...outcome } = await once(db, request, async () => {
      const { row, ...converted } = await convertImage(services, media, options)
      return { ...converted, mediaId: row.id }
    })
    return { ...outcome, media: await describeOne(db, await loadOwnedMedia(db, user.id, mediaId), origin) }
  })
  handle(
    scope,
    conversionApi.removeBackground,
    async ({ params, body: { runId, format } }, { user, origin, reply }) => {
      const media = await loadOwnedMedia(db, user.id, params.id)
      const request = { ownerId: user.id, kind: 'remove-background', runId, request: [media.id, format] }
      const copyId = await slots.run(user.id, abortOnDisconnect(reply), () =>
        once(db, request, async () => (await removeBackground(services, media, { format })).id),
      )
      const copy = await describeOne(db, await loadOwnedMedia(db, user.id, copyId), origin)
      return { media: copy, message: `Added "${copy.filename}".` }
    },
  )
  handle(scope, conversionApi.previewWithoutBackground, async ({ params }, { user, reply }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    return slots.run(user.id, abortOnDisconnect(reply), () => previewWithoutBackground(services, media))
  })
  handle(scope, conversionApi.previewWebp, async ({ params, query }, { user }) =>
    previewConversion(services, await loadOwnedMedia(db, user.id, params.id), query),
  )
}
