import type { User } from '#features/auth/contract.ts'
import { describeOne, loadOwnedMedia } from '#features/media/server/store.ts'
import { deleteEarlierVersions, deleteVersion } from '#features/media/server/versions.ts'
import { once } from '#platform/server/db/once.ts'
import { handle, handleUpload } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { countOf } from '#shared/count.ts'
import { versionsApi } from '../contract.ts'
import { editPicture } from './edit.ts'
import { type ReplaceServices, replacementLimits, replaceWithUpload } from './replace.ts'
import { restoreVersion } from './restore.ts'
import { describeVersions } from './to-version.ts'

export function versionRoutes(scope: Scope<User>, services: ReplaceServices) {
  const { db } = services
  const accepted = { limits: replacementLimits, throwFileSizeLimit: false }
  handleUpload(scope, versionsApi.replace, accepted, async ({ user, origin, request }, { params }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    return describeOne(db, await replaceWithUpload(services, media, request), origin)
  })
  handle(scope, versionsApi.list, async ({ params }, { user }) => ({
    versions: await describeVersions(db, await loadOwnedMedia(db, user.id, params.id), user.username),
  }))
  handle(scope, versionsApi.edit, async ({ params, body: { runId, saveAs, ...edit } }, { user, origin }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    const request = { ownerId: user.id, kind: 'edit', runId, request: [media.id, edit, saveAs] }
    const mediaId = await once(db, request, async () => (await editPicture(services, media, edit, saveAs)).id)
    return describeOne(db, await loadOwnedMedia(db, user.id, mediaId), origin)
  })
  handle(scope, versionsApi.restore, async ({ params }, { user, origin }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    return describeOne(db, await restoreVersion(services, media, params.versionId), origin)
  })
  handle(scope, versionsApi.remove, async ({ params }, { user }) => {
    await deleteVersion(db, await loadOwnedMedia(db, user.id, params.id), params.versionId)
    return { message: 'The version was deleted.' }
  })
  handle(scope, versionsApi.removeAll, async (_input, { user }) => {
    const deleted = await deleteEarlierVersions(db, user.id)
    return { deleted, message: `${countOf(deleted, 'earlier version')} deleted.` }
  })
}
