import type { FastifyReply, FastifyRequest } from 'fastify'
import { createZip } from '#engines/archive/write-zip.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import type { FileServices } from '#features/media/server/files/open-wanted.ts'
import { AppError } from '#platform/errors.ts'
import { setRetryAfter } from '#platform/server/http/error-handler.ts'
import { sendAsFile } from '#platform/server/http/handle.ts'
import { originOf } from '#platform/server/http/origin.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { safeTypedName } from '#shared/filenames.ts'
import { downloadEntries } from './download.ts'
import { leadAlong, leadMovedAlong } from './moved.ts'
import { type PageCache, packFor } from './page-cache.ts'
import { answerFaultsAsPages, answerRefusalsAsPages } from './page-faults.ts'
import { protectPublicPages, sendForm, sendPage } from './page-headers.ts'
import { loadClientAssets } from './pages/client-assets.ts'
import { collectionPage, embeddedPage, tilesPerPage } from './pages/collection-page.ts'
import { html } from './pages/html.ts'
import { mediaPage } from './pages/media-page.ts'
import { lockedEmbedPage, notFoundPage, passwordPage } from './pages/notice-pages.ts'
import { pageStyle } from './pages/page-style.ts'
import { findShare, findSharedMedia, openShare } from './shares.ts'
import { addTags } from './store.ts'
import { collectionPath, toPublicMedia } from './to-public.ts'
import { unlockShare } from './unlock.ts'
import { viewOf } from './view-of.ts'
import { countView } from './views.ts'

const noCookies = 'This page requires cookies. Please allow them in your browser and enter the password again.'

type Services = FileServices & { clientDir: string; pages: PageCache }
type PageRequest = FastifyRequest<{ Params: { slug: string }; Querystring: Record<string, string | undefined> }>

/** The documents that visitors open. They are whole as they arrive; scripts only add to them. */
export function publicPageRoutes({ app, access }: Scope<null>, services: Services) {
  app.register(async (part) => {
    const assets = await loadClientAssets(services.clientDir)
    const { db, pages } = services
    const options = { config: { access } }
    const errorHandler = answerFaultsAsPages(assets)
    const document = { ...options, errorHandler }
    protectPublicPages(part)
    leadMovedAlong(part, db)
    part.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 4096 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
    )

    const cached = { config: { access, leadsMovedItself: true }, errorHandler }
    part.get('/public/collections/:slug', cached, async (request: PageRequest, reply) => {
      const share = await findShare(db, request.params.slug, request)
      const isEmbedded = request.query.embed === '1'
      if (!share && (await leadAlong(db, request.params.slug, request, reply))) return reply
      if (!share) return sendPage(reply, 404, notFoundPage('collection', assets), isEmbedded)
      const path = collectionPath(request.params.slug)
      if (!share.isOpen && isEmbedded) return sendPage(reply, 401, lockedEmbedPage(path, assets), true)
      if (!share.isOpen) return sendForm(reply, 401, passwordPage(path, assets))
      if (!share.isOwner) countView(db, request, { kind: 'collection', id: share.collection.id })
      const wanted = { origin: originOf(request), page: pageNumber(request) }
      const key = `${isEmbedded} ${wanted.page} ${wanted.origin} ${path}`
      const drawn = await pages.draw(key, share.collection, async () => {
        const view = await viewOf(db, share.collection, wanted)
        const href = `${path}/style.css?page=${wanted.page}&v=${share.collection.updated_at}`
        const style = html`<link rel="stylesheet" href="${href}">`
        return { bytes: Buffer.from((isEmbedded ? embeddedPage : collectionPage)(view, { assets, style })) }
      })
      return sendPage(reply, 200, await packFor(request, reply, drawn), isEmbedded)
    })

    part.get('/public/collections/:slug/style.css', options, async (request: PageRequest, reply) => {
      const { collection } = await openShare(db, request.params.slug, request)
      const page = pageNumber(request)
      const drawn = await pages.draw(`style ${page} ${collection.id}`, collection, async () => {
        const { media } = await viewOf(db, collection, { origin: '', page })
        return { bytes: Buffer.from(await pageStyle(collection, media, (page - 1) * tilesPerPage)) }
      })
      return reply
        .type('text/css; charset=utf-8')
        .headers({ 'cache-control': 'private, no-cache', vary: 'Cookie, Accept-Encoding' })
        .send(await packFor(request, reply, drawn))
    })

    part.route({
      method: ['GET', 'HEAD'],
      url: '/public/collections/:slug/download',
      ...options,
      errorHandler: answerRefusalsAsPages(assets),
      handler: async (request: PageRequest, reply) => {
        const { collection } = await openShare(db, request.params.slug, request)
        if (collection.allows_download !== 1) {
          throw new AppError('download-not-allowed', 403, "The owner doesn't offer this collection for download.")
        }
        sendAsFile(reply, `${safeTypedName(collection.name)}.zip`)
        // Nobody is told how long it will be, so a look at the head opens no file.
        if (request.method === 'HEAD') return reply.send()
        return reply.send(createZip(downloadEntries(services, collection)))
      },
    })

    // A wrong password leaves this in the address bar, from where it is opened anew, kept or passed on. From the right one
    // it is on the way: whoever comes without the key that they have just been given keeps no cookies.
    part.get('/public/collections/:slug/unlock', document, async (request: PageRequest, reply) => {
      const { slug } = request.params
      const share = request.query.given === '1' && (await findShare(db, slug, request))
      if (share && !share.isOpen) return sendForm(reply, 401, passwordPage(collectionPath(slug), assets, noCookies))
      return reply.redirect(collectionPath(encodeURIComponent(slug)), 303)
    })

    part.post('/public/collections/:slug/unlock', document, async (request: PageRequest, reply) => {
      const share = await findShare(db, request.params.slug, request)
      if (!share) return sendPage(reply, 404, notFoundPage('collection', assets))
      if (share.isOpen) return reply.redirect(collectionPath(request.params.slug), 303)
      return unlock(request, reply, share.collection)
    })

    part.get('/public/:slug', document, async (request: PageRequest, reply) => {
      const found = await findSharedMedia(db, request.params.slug, request)
      if (!found) return sendPage(reply, 404, notFoundPage('media', assets))
      if (!found.isOwner) countView(db, request, { kind: 'media', id: found.media.id })
      const [member] = await addTags(db, [found.media])
      const media = toPublicMedia(member!, { origin: '', allowsDownload: true })
      const path = `/public/${request.params.slug}`
      return sendPage(reply, 200, mediaPage({ media, origin: originOf(request), path }, assets))
    })

    /** A wrong password, or too many of them, is told in the form itself. */
    async function unlock(request: PageRequest, reply: FastifyReply, collection: CollectionRow) {
      const path = collectionPath(request.params.slug)
      const password = String((request.body as { password?: unknown } | undefined)?.password ?? '').slice(0, 256)
      try {
        await unlockShare(db, { collection, password, request, reply })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        setRetryAfter(reply, error)
        return sendForm(reply, error.status, passwordPage(path, assets, error.message))
      }
      return reply.redirect(`${path}/unlock?given=1`, 303)
    }
  })
}

function pageNumber({ query }: PageRequest) {
  const page = Number(query.page ?? 1)
  return Number.isSafeInteger(page) && page >= 1 && page <= 100_000 ? page : 1
}
