import type { User } from '#features/auth/contract.ts'
import { loadOwnedMedia } from '#features/media/server/store.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { deliveryApi } from '../contract.ts'
import { describeAddresses } from './addresses.ts'
import type { DeliveryServices } from './open-delivered.ts'
import { changePreset, createPreset, listPresets, listPresetsOf, removePreset } from './presets.ts'
import { loadSettings, saveIndexing } from './store.ts'

export function deliveryRoutes(scope: Scope<User>, services: DeliveryServices) {
  const { db } = services
  handle(scope, deliveryApi.presets, async ({ query: { mediaId } }, { user }) =>
    mediaId === undefined ? listPresets(db, user.id) : listPresetsOf(db, await loadOwnedMedia(db, user.id, mediaId)),
  )
  handle(scope, deliveryApi.createPreset, ({ body }, { user }) => createPreset(db, user.id, body))
  handle(scope, deliveryApi.changePreset, ({ params, body }, { user }) => changePreset(db, user.id, params.name, body))
  handle(scope, deliveryApi.removePreset, ({ params }, { user }) => removePreset(db, user.id, params.name))
  handle(scope, deliveryApi.settings, async (_input, { user }) => ({
    indexesPages: (await loadSettings(db, user.id))?.indexes_pages === 1,
  }))
  handle(scope, deliveryApi.changeSettings, async ({ body }, { user }) => {
    await saveIndexing(db, user.id, body.indexesPages)
    return body
  })
  handle(scope, deliveryApi.addresses, async ({ params, body }, { user, origin }) => {
    const media = await loadOwnedMedia(db, user.id, params.id)
    return { addresses: await describeAddresses(services, media, { ...body, origin }) }
  })
}
