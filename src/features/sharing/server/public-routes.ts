import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CollectionRow } from '#features/collections/server/store.ts'
import type { HandlerResult, ResponseOf, Route } from '#platform/contract.ts'
import type { Database } from '#platform/server/db/database.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { matchesEtag, weakEtag } from '#platform/server/http/etag.ts'
import { type Call, handle } from '#platform/server/http/handle.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { chunksOf } from '#shared/chunks.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { publicApi } from '../contract.ts'
import { type PageCache, packFor } from './page-cache.ts'
import { wordsOfCollection, wordsOfMedia } from './page-words.ts'
import {
  findShare,
  findSharedMedia,
  missedCollection,
  missedMedia,
  openShare,
  redirectRenamedAddresses,
  unlockShare,
} from './shares.ts'
import { addTags, findOwnerName, listVisibleAmong, listVisibleIds, type Member } from './store.ts'
import { toPublicCollection, toPublicMedia, toSharedImage } from './to-public.ts'
import { countView, viewsWritten } from './views.ts'

type Services = { db: Database['db']; pages: PageCache }
type Contents = ResponseOf<typeof publicApi.collection>

/** The API that any website may read without signing in. */
export function publicRoutes(scope: Scope<null>, services: Services) {
  scope.app.register(async (part) => {
    // Errors have the headers too, so that an embedding website can show what is wrong.
    part.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' })
    })
    answerPreflights({ ...scope, app: part })
    // Pending view counts are written before the server stops.
    part.addHook('onClose', () => viewsWritten(services.db))
    redirectRenamedAddresses(part, services.db)
    bindPublicRoutes({ ...scope, app: part }, services)
  })
}

/** A browser sends a preflight when another website adds a header such as Content-Type or If-None-Match. */
function answerPreflights({ app, access }: Scope<null>) {
  app.options('/api/public/*', { config: { access } }, (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': '*',
        'access-control-max-age': '86400',
      })
      .send(),
  )
}

function bindPublicRoutes(scope: Scope<null>, { db, pages }: Services) {
  handle(scope, publicApi.collection, async ({ params, query }, call) => {
    const { collection, isOwner } = await openShare(db, params.slug, call.request)
    if (!isOwner) countView(db, call.request, { kind: 'collection', id: collection.id })
    return sendDrawn(publicApi.collection, { collection, lang: query.lang }, call, (contents) => contents)
  })
  handle(scope, publicApi.urls, async ({ params, query }, call) => {
    const { collection } = await openShare(db, params.slug, call.request)
    return sendDrawn(publicApi.urls, { collection, lang: query.lang }, call, ({ media }) => ({
      urls: media.map(({ originalUrl }) => originalUrl),
    }))
  })
  handle(scope, publicApi.images, async ({ params, query }, call) => {
    const { collection } = await openShare(db, params.slug, call.request)
    return sendDrawn(publicApi.images, { collection, lang: query.lang }, call, ({ media }) => ({
      images: media.filter(({ type }) => type === 'image').map(toSharedImage),
    }))
  })
  handle(scope, publicApi.data, async ({ params, query }, call) => {
    const { collection } = await openShare(db, params.slug, call.request)
    return sendDrawn(publicApi.data, { collection, lang: query.lang }, call, (contents) => ({
      ...contents.collection,
      media: contents.media,
    }))
  })
  handle(scope, publicApi.unlock, async ({ params, body }, { request, reply }) => {
    const share = await findShare(db, params.slug, request)
    if (!share) throw await missedCollection(db, request)
    if (!share.isOpen) await unlockShare(db, { ...share, password: body.password, request, reply })
    return { isUnlocked: true as const }
  })
  handle(scope, publicApi.media, async ({ params, query }, { request, reply, origin }) => {
    const found = await findSharedMedia(db, params.slug, request)
    if (!found) throw await missedMedia(db, request)
    if (!found.isOwner) countView(db, request, { kind: 'media', id: found.media.id })
    const [member] = await addTags(db, [found.media])
    const words = await wordsOfMedia(db, found.media.id, request, query.lang)
    reply.header('vary', 'Accept-Language')
    return { media: toPublicMedia(member!, { origin, allowsDownload: true, words }) }
  })

  /**
   * Cached, see [Note: A page is drawn once for many visitors]; the contract's validation runs once per rendering too.
   */
  async function sendDrawn<R extends Route>(
    { path, response }: R,
    { collection: row, lang }: { collection: CollectionRow; lang?: string },
    { origin, request, reply }: Call<null>,
    choose: (contents: Contents) => HandlerResult<R>,
  ) {
    const words = await wordsOfCollection(db, row, request, lang)
    const drawn = await pages.draw(`${path} ${JSON.stringify(words)} ${origin} ${row.id}`, row, async () => {
      const ownerName = await findOwnerName(db, row.owner_id)
      const counted = { ...row, media_count: await pages.countItems(db, row) }
      const collection = toPublicCollection(counted, { origin, filesAt: origin, ownerName })
      const sharing = { origin, allowsDownload: row.allows_download === 1, words }
      const textOf = (members: Member[]) => {
        const media = members.map((member) => toPublicMedia(member, sharing))
        return JSON.stringify(response.parse(choose({ collection, media })))
      }
      return fewLists(() => drawList(db, row, textOf))
    })
    reply
      .type('application/json; charset=utf-8')
      .headers({ etag: drawn.etag, vary: 'Accept-Encoding, Accept-Language' })
    return reply.send(matchesEtag(request, drawn.etag) ? drawn.bytes : await packFor(request, reply, drawn)) as never
  }
}

/** At most a megabyte of text, so that other requests do not wait long for one part. */
const membersPerPart = 50

/** However many lists are rendered, only one part of one list blocks each turn of the event loop. */
const oneAtATime = limitConcurrency(1)

/** Visitors can request one list under countless host names; each list that is being rendered takes megabytes. */
const fewLists = limitConcurrency(4)

/**
 * [Note: A long list is drawn part by part] Thousands of items with long descriptions are many megabytes, which take
 * seconds to read and serialize. `textOf` serializes the whole response for the given members; the list is its last
 * field.
 */
async function drawList(db: Db, collection: CollectionRow, textOf: (members: Member[]) => string) {
  const withoutMembers = textOf([])
  const head = withoutMembers.slice(0, -']}'.length)
  const hash = createHash('sha1')
  const drawn: Buffer[] = []
  const add = (text: string) => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    drawn.push(bytes)
  }
  add(head)
  for (const ids of chunksOf(await listVisibleIds(db, collection), membersPerPart)) {
    await oneAtATime(async () => {
      const items = textOf(await listVisibleAmong(db, collection, ids)).slice(head.length, -']}'.length)
      if (items) add(drawn.length === 1 ? items : `,${items}`)
      await nextTurn()
    })
  }
  add(']}')
  return { bytes: Buffer.concat(drawn), etag: weakEtag(hash.digest('base64url')) }
}
