import type { User } from '#features/auth/contract.ts'
import { announceMedia } from '#features/media/server/announce.ts'
import { loadOwnedMedia } from '#features/media/server/store.ts'
import { shortenOwn } from '#features/websites/server/branding.ts'
import type { Database } from '#platform/server/db/database.ts'
import { once } from '#platform/server/db/once.ts'
import type { Events } from '#platform/server/events/events.ts'
import { type Call, handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import type { Jobs } from '#platform/server/jobs/jobs.ts'
import { collectionsApi } from '../contract.ts'
import { arrangeMedia } from './arrange.ts'
import {
  addMedia,
  brandCollection,
  changeCollection,
  checkUrl,
  createCollection,
  removeCollection,
  removeMedia,
  renameUrl,
  requireMember,
  setVisibility,
} from './collections.ts'
import { describeCollection, describeCollections, describeMembers } from './describe-collections.ts'
import { duplicateCollection } from './duplicate.ts'
import { freezeCollection } from './smart.ts'
import { type CollectionRow, listCollections, listSummaries, loadOwnedCollection } from './store.ts'

type Services = Pick<Database, 'db' | 'slowReads'> & { events: Events; jobs: Jobs }

export function collectionRoutes(scope: Scope<User>, { db, slowReads, events, jobs }: Services) {
  const load = (call: Call<User>, id: number) => loadOwnedCollection(db, call.user.id, id)
  const changed = async (call: Call<User>, row: CollectionRow) => {
    await events.publish(call.user.id, { type: 'collections' })
    return describeCollection(db, row, call.origin)
  }

  handle(scope, collectionsApi.list, async ({ query }, call) => {
    if (query.summary === 'true') return listSummaries(db, slowReads, call.user.id)
    const rows = await listCollections(db, call.user.id)
    // Counting the matches of many searches is slow.
    const isSlow = rows.some(({ query: search }) => search !== null)
    return describeCollections(isSlow ? slowReads : db, rows, call.origin)
  })
  handle(scope, collectionsApi.get, async ({ params }, call) =>
    describeCollection(db, await load(call, params.id), call.origin),
  )
  handle(scope, collectionsApi.create, async ({ body: { runId, ...draft } }, call) => {
    const asked = { ownerId: call.user.id, kind: 'create-collection', runId, request: draft }
    const id = await once(db, asked, async () => (await createCollection(db, call.user.id, draft)).id)
    return changed(call, await load(call, id))
  })
  handle(scope, collectionsApi.update, async ({ params, body }, call) => {
    const collection = await load(call, params.id)
    // A client that sends the whole collection back also sends a cover that may have left the collection since.
    const isNewCover = body.coverMediaId && body.coverMediaId !== collection.cover_media_id
    if (isNewCover) await requireMember(db, collection, body.coverMediaId!)
    return changed(call, await changeCollection(db, collection, body))
  })
  handle(scope, collectionsApi.remove, async ({ params }, call) => {
    const collection = await load(call, params.id)
    await removeCollection({ db, jobs }, collection)
    await events.publish(call.user.id, { type: 'collections' })
    return { message: `"${collection.name}" was deleted. Its items are still in your library.` }
  })
  handle(scope, collectionsApi.freeze, async ({ params }, call) =>
    changed(call, await freezeCollection(db, await load(call, params.id))),
  )
  handle(scope, collectionsApi.duplicate, async ({ params, body: { runId, ...draft } }, call) => {
    const collection = await load(call, params.id)
    const asked = { ownerId: call.user.id, kind: 'duplicate', runId, request: [collection.id, draft] }
    const { copyId, copiedMedia } = await once(db, asked, async () => {
      const { row, copiedMedia: count } = await duplicateCollection(db, collection, draft)
      return { copyId: row.id, copiedMedia: count }
    })
    return { collection: await changed(call, await load(call, copyId)), stats: { copiedMedia } }
  })
  handle(scope, collectionsApi.renameUrl, async ({ params, body: { publicSlug: slug, endsEarlierUrls } }, call) =>
    changed(call, await renameUrl(db, await load(call, params.id), { slug, endsEarlierUrls })),
  )
  handle(scope, collectionsApi.checkUrl, async ({ params, query }, call) =>
    checkUrl(db, await load(call, params.id), query.slug),
  )
  handle(scope, collectionsApi.brand, async ({ params, body }, call) => {
    const { origin, request } = call
    const branding = shortenOwn(body, [origin, `${request.protocol}://${request.host}`])
    return changed(call, await brandCollection(db, await load(call, params.id), branding))
  })
  handle(scope, collectionsApi.setVisibility, async ({ params, body }, call) =>
    changed(call, await setVisibility(db, await load(call, params.id), body.isPublic)),
  )
  handle(scope, collectionsApi.listMedia, async ({ params }, call) => ({
    media: await describeMembers(db, await load(call, params.id), call.origin),
  }))
  handle(scope, collectionsApi.arrange, async ({ params, body }, call) => {
    const mediaIds = await arrangeMedia(db, await load(call, params.id), body)
    await events.publish(call.user.id, { type: 'collections' })
    return { mediaIds }
  })
  handle(scope, collectionsApi.addMedia, async ({ params }, call) => {
    const collection = await load(call, params.collectionId)
    const media = await loadOwnedMedia(db, call.user.id, params.mediaId)
    await addMedia(db, collection, media)
    await announceMedia(events, call.user.id, [media.id])
    return { message: `"${media.filename}" was added to "${collection.name}".` }
  })
  handle(scope, collectionsApi.removeMedia, async ({ params }, call) => {
    const collection = await load(call, params.collectionId)
    const beforeId = await removeMedia(db, collection, params.mediaId)
    await announceMedia(events, call.user.id, [params.mediaId])
    return { message: `The item was removed from "${collection.name}".`, beforeId }
  })
}
