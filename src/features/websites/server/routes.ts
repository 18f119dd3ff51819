import type { User } from '#features/auth/contract.ts'
import type { Database } from '#platform/server/db/database.ts'
import { once } from '#platform/server/db/once.ts'
import type { Events } from '#platform/server/events/events.ts'
import { type Call, handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { countOf } from '#shared/count.ts'
import { type WebsiteFields, websitesApi } from '../contract.ts'
import { shortenOwn } from './branding.ts'
import { describeWebsites } from './describe-websites.ts'
import { listWebsites, loadOwnedWebsite } from './store.ts'
import { changeWebsite, createWebsite, removeWebsite } from './websites.ts'

type Services = { db: Database['db']; events: Events }

export function websiteRoutes(scope: Scope<User>, { db, events }: Services) {
  // Lists of collections show their websites too.
  const announce = (call: Call<User>) => events.publish(call.user.id, { type: 'collections' })
  const describe = async (call: Call<User>, id: number) => {
    const [website] = await describeWebsites(db, call.user.id, [await loadOwnedWebsite(db, call.user.id, id)])
    return website!
  }

  handle(scope, websitesApi.list, async (_input, { user }) =>
    describeWebsites(db, user.id, await listWebsites(db, user.id)),
  )
  handle(scope, websitesApi.create, async ({ body: { runId, ...draft } }, call) => {
    const asked = { ownerId: call.user.id, kind: 'create-website', runId, request: draft }
    const fields = withOwnPictures(draft, call)
    const id = await once(db, asked, async () => (await createWebsite(db, call.user.id, fields)).id)
    await announce(call)
    return describe(call, id)
  })
  handle(scope, websitesApi.update, async ({ params, body }, call) => {
    const website = await loadOwnedWebsite(db, call.user.id, params.id)
    await changeWebsite(db, website, withOwnPictures(body, call))
    await announce(call)
    return describe(call, website.id)
  })
  handle(scope, websitesApi.remove, async ({ params }, call) => {
    const website = await loadOwnedWebsite(db, call.user.id, params.id)
    const kept = await removeWebsite(db, website)
    await announce(call)
    return { message: `"${website.name}" was deleted. ${keptWords(kept)}` }
  })
}

const keptWords = (count: number) =>
  count === 0 ? 'It had no collections.' : `${countOf(count, 'collection')} kept, with the company as text.`

function withOwnPictures<T extends Partial<WebsiteFields>>(fields: T, { origin, request }: Call<User>): T {
  const { branding } = fields
  return branding
    ? { ...fields, branding: shortenOwn(branding, [origin, `${request.protocol}://${request.host}`]) }
    : fields
}
