import type { User } from '#features/auth/contract.ts'
import { loadOwnedCollection } from '#features/collections/server/store.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Events } from '#platform/server/events/events.ts'
import { handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { sharingApi } from '../contract.ts'
import { changeOptions, optionsOf, viewStatistics } from './options.ts'
import { loadClientAssets } from './pages/client-assets.ts'
import { previewCollection } from './preview.ts'

type Services = { db: Database['db']; events: Events; clientDir: string }

/** What the owner sets and sees. */
export function sharingRoutes(scope: Scope<User>, { db, events, clientDir }: Services) {
  const load = (user: User, id: number) => loadOwnedCollection(db, user.id, id)

  handle(scope, sharingApi.options, async ({ params }, { user }) => optionsOf(await load(user, params.id)))
  handle(scope, sharingApi.changeOptions, async ({ params, body }, { user }) => {
    const options = await changeOptions(db, await load(user, params.id), body)
    await events.publish(user.id, { type: 'collections' })
    return options
  })
  handle(scope, sharingApi.statistics, async ({ params }, { user }) => viewStatistics(db, await load(user, params.id)))
  handle(scope, sharingApi.preview, async ({ params, body }, { user }) =>
    previewCollection(db, await load(user, params.id), body, await loadClientAssets(clientDir)),
  )
}
