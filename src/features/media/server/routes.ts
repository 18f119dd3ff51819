import type { User } from '#features/auth/contract.ts'
import type { Database } from '#platform/server/db/database.ts'
import { once } from '#platform/server/db/once.ts'
import type { Events } from '#platform/server/events/events.ts'
import { type Call, handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { mediaApi, trashApi } from '../contract.ts'
import { findingApi } from '../finding-contract.ts'
import { announceMedia } from './announce.ts'
import type { FindNear, FindSimilar } from './listing/listing.ts'
import { countMedia, listMedia } from './listing/listing.ts'
import { listMonths } from './listing/months.ts'
import { createPageCursors } from './listing/page-cursors.ts'
import { suggest } from './listing/suggestions.ts'
import { changeMedia, copyMedia, publishMedia, renamePublicSlug, unpublishMedia } from './media.ts'
import { publicAddress } from './media-addresses.ts'
import { type Outcome, throwIfNoneExists } from './not-found.ts'
import { deleteMediaRows, describeOne, loadOwnedMedia } from './store.ts'
import type { MediaRow } from './to-media.ts'
import { emptyTrash, setTrashed } from './trash.ts'
import { reprocessVideo } from './video-work.ts'

type Services = Pick<Database, 'db' | 'slowReads' | 'readVersion'> & {
  events: Events
  jobs: Jobs
  findNear: FindNear
  findSimilar: FindSimilar
}

export function mediaRoutes(scope: Scope<User>, services: Services) {
  const { db, events } = services
  const listed = { ...services, cursors: createPageCursors(services.readVersion) }
  const load = (call: Call<User>, id: number) => loadOwnedMedia(db, call.user.id, id)
  const changed = async (call: Call<User>, row: MediaRow) => {
    await announceMedia(events, call.user.id, [row.id])
    return describeOne(db, row, call.origin)
  }

  handle(scope, mediaApi.list, ({ query }, call) => listMedia(listed, call.user.id, query, call.origin))
  handle(scope, mediaApi.count, async ({ query }, call) => ({
    totalCount: await countMedia(listed, call.user.id, query),
  }))
  handle(scope, findingApi.months, ({ query }, { user }) => listMonths(services, user.id, query))
  handle(scope, findingApi.suggestions, ({ query }, { user }) => suggest(db, user.id, query.search, query.caret))
  handle(scope, mediaApi.get, async ({ params }, call) => describeOne(db, await load(call, params.id), call.origin))
  handle(scope, mediaApi.patch, async ({ params, body }, call) =>
    changed(call, await changeMedia(db, await load(call, params.id), body)),
  )
  handle(scope, mediaApi.remove, async ({ params }, call) => {
    const media = await load(call, params.id)
    await db.transaction().execute((transaction) => deleteMediaRows(transaction, [media.id]))
    await announceMedia(events, call.user.id, [media.id])
    return { message: `"${media.filename}" was deleted.` }
  })
  handle(scope, mediaApi.copy, async ({ params, body }, call) => {
    const media = await load(call, params.id)
    const asked = { ownerId: call.user.id, kind: 'copy', runId: body?.runId, request: media.id }
    const copyId = await once(db, asked, async () => {
      const copy = await db.transaction().execute((transaction) => copyMedia(transaction, media))
      return copy.id
    })
    return changed(call, await load(call, copyId))
  })
  handle(scope, mediaApi.makePublic, async ({ params }, call) => {
    const media = await load(call, params.id)
    const { row, isEarlierUrl } = await db.transaction().execute((transaction) => publishMedia(transaction, media))
    const slug = row.public_slug!
    const published = await changed(call, row)
    return { publicUrl: publicAddress(call.origin, slug), publicUrlSlug: slug, isEarlierUrl, media: published }
  })
  handle(scope, mediaApi.makePrivate, async ({ params }, call) =>
    changed(call, await unpublishMedia(db, await load(call, params.id))),
  )
  handle(scope, mediaApi.renamePublicUrl, async ({ params, body: { publicUrlSlug: slug, endsEarlierUrls } }, call) =>
    changed(call, await renamePublicSlug(db, await load(call, params.id), { slug, endsEarlierUrls })),
  )
  handle(scope, mediaApi.reprocess, async ({ params }, call) =>
    describeOne(db, await reprocessVideo(services, await load(call, params.id)), call.origin),
  )
  handle(scope, trashApi.trash, async ({ body }, { user }) =>
    summarize(user, await setTrashed(db, user.id, body.mediaIds, true)),
  )
  handle(scope, trashApi.restore, async ({ body }, { user }) =>
    summarize(user, await setTrashed(db, user.id, body.mediaIds, false)),
  )
  handle(scope, trashApi.emptyTrash, async (_input, { user }) => {
    const deleted = await emptyTrash(db, user.id)
    await events.publish(user.id, { type: 'reset' })
    return { deleted }
  })

  async function summarize(user: User, outcome: Outcome) {
    throwIfNoneExists(outcome)
    const { changed, errors } = outcome
    await announceMedia(events, user.id, changed)
    return { summary: { successful: changed.length, failed: errors.length }, errors }
  }
}
