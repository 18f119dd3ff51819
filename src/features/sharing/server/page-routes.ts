import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createZip } from '#engines/archive/write-zip.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { isPageIndexed } from '#features/delivery/server/store.ts'
import type { FileServices } from '#features/media/server/files/served-file.ts'
import { countMiss } from '#features/media/server/missed-addresses.ts'
import { AppError, notFound } from '#platform/errors.ts'
import { prepareErrorResponse, setRetryAfter } from '#platform/server/http/error-handler.ts'
import { sendAsFile } from '#platform/server/http/handle.ts'
import { originOf } from '#platform/server/http/origin.ts'
import type { Scope } from '#platform/server/http/scope.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { safeTypedName } from '#shared/filenames.ts'
import { downloadEntries } from './download.ts'
import { type PageCache, packFor } from './page-cache.ts'
import { noWords, wordsOfCollection, wordsOfMedia } from './page-words.ts'
import { collectionPage, embeddedPage, tilesPerPage } from './pages/collection-page.ts'
import { type ClientAssets, html, loadClientAssets } from './pages/document.ts'
import { mediaPage } from './pages/media-page.ts'
import {
  faultPage,
  lockedEmbedPage,
  noDownloadPage,
  notFoundPage,
  passwordPage,
  tooManyPage,
} from './pages/notice-pages.ts'
import { pageStyle } from './pages/page-style.ts'
import { imageSitemap, robotsText } from './search-engines.ts'
import {
  findShare,
  findSharedMedia,
  openShare,
  redirectRenamedAddresses,
  redirectToCurrent,
  unlockShare,
} from './shares.ts'
import { addTags } from './store.ts'
import { collectionPath, toPublicMedia, viewOf } from './to-public.ts'
import { countView } from './views.ts'

/**
 * Visitors can request a page under countless host names, and each is drawn with its own links. Other requests are answered
 * before the next page is drawn.
 */
const oneAtATime = limitConcurrency(1)

const noCookies = 'This page requires cookies. Please allow them in your browser and enter the password again.'

type Services = FileServices & { clientDir: string; pages: PageCache }
type PageRequest = FastifyRequest<{ Params: { slug: string }; Querystring: Record<string, string | undefined> }>

/** The documents that visitors open. They are complete without scripts, which only enhance them. */
export function publicPageRoutes({ app, access }: Scope<null>, services: Services) {
  app.register(async (part) => {
    const assets = await loadClientAssets(services.clientDir)
    const { db, pages } = services
    const options = { config: { access } }
    const errorHandler = answerFaultsAsPages(assets)
    const document = { ...options, errorHandler }
    const drawInTurn: PageCache['draw'] = (key, collection, draw) =>
      pages.draw(key, collection, () => oneAtATime(() => draw().finally(nextTurn)))
    protectPublicPages(part)
    redirectRenamedAddresses(part, db)
    part.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 4096 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
    )

    const cached = { config: { access, redirectsItself: true }, errorHandler }
    part.get('/public/collections/:slug', cached, async (request: PageRequest, reply) => {
      const share = await findShare(db, request.params.slug, request)
      const isEmbedded = request.query.embed === '1'
      if (!share && (await redirectToCurrent(db, request.params.slug, request, reply))) return reply
      if (!share) return sendMissed(request, reply, 'collection', isEmbedded)
      const path = collectionPath(request.params.slug)
      if (!share.isOpen && isEmbedded) return sendPage(reply, 401, lockedEmbedPage(path, assets), true)
      if (!share.isOpen) return sendForm(reply, 401, passwordPage(path, assets))
      if (!share.isOwner) countView(db, request, { kind: 'collection', id: share.collection.id })
      // Every page beyond the last one is the same.
      const lastPage = lastPageOf(await pages.countItems(db, share.collection))
      const page = Math.min(pageNumber(request), lastPage + 1)
      const words = await wordsOfCollection(db, share.collection, request)
      const wanted = { origin: originOf(request), words, page }
      const key = `${isEmbedded} ${JSON.stringify(words)} ${wanted.page} ${wanted.origin} ${path}`
      const drawn = await drawInTurn(key, share.collection, async () => {
        const view = await viewOf(db, share.collection, wanted)
        const styled = Math.min(wanted.page, lastPage)
        const href = `${path}/style.css?page=${styled}&v=${share.collection.updated_at}`
        const style = html`<link rel="stylesheet" href="${href}">`
        return { bytes: Buffer.from((isEmbedded ? embeddedPage : collectionPage)(view, { assets, style })) }
      })
      return sendPage(reply, 200, await packFor(request, reply, drawn), isEmbedded)
    })

    part.get('/robots.txt', options, (_request, reply) =>
      reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=3600').send(robotsText),
    )

    part.get('/public/collections/:slug/sitemap.xml', options, async (request: PageRequest, reply) => {
      const { collection } = await openShare(db, request.params.slug, request)
      return reply
        .type('application/xml; charset=utf-8')
        .header('cache-control', 'private, no-cache')
        .send(imageSitemap(db, collection, originOf(request)))
    })

    part.get('/public/collections/:slug/style.css', options, async (request: PageRequest, reply) => {
      const { collection } = await openShare(db, request.params.slug, request)
      const page = pageNumber(request)
      if (page > lastPageOf(await pages.countItems(db, collection))) throw notFound('Page')
      const drawn = await drawInTurn(`style ${page} ${collection.id}`, collection, async () => {
        const view = await viewOf(db, collection, { origin: '', words: noWords, page })
        return { bytes: Buffer.from(pageStyle(collection, view, (page - 1) * tilesPerPage)) }
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
        // The length is unknown in advance, so HEAD needs no file.
        if (request.method === 'HEAD') return reply.send()
        return reply.send(createZip(downloadEntries(services, collection)))
      },
    })

    // A wrong password leaves this URL in the address bar, so it may be reloaded, bookmarked or shared. After the right
    // one it is a redirect target: a visitor who arrives without the new cookie does not accept cookies.
    part.get('/public/collections/:slug/unlock', document, async (request: PageRequest, reply) => {
      const { slug } = request.params
      const share = request.query.given === '1' && (await findShare(db, slug, request))
      if (share && !share.isOpen) return sendForm(reply, 401, passwordPage(collectionPath(slug), assets, noCookies))
      return reply.redirect(collectionPath(encodeURIComponent(slug)), 303)
    })

    part.post('/public/collections/:slug/unlock', document, async (request: PageRequest, reply) => {
      const share = await findShare(db, request.params.slug, request)
      if (!share) return sendMissed(request, reply, 'collection')
      if (share.isOpen) return reply.redirect(collectionPath(request.params.slug), 303)
      return unlock(request, reply, share.collection)
    })

    part.get('/public/:slug', document, async (request: PageRequest, reply) => {
      const found = await findSharedMedia(db, request.params.slug, request)
      if (!found) return sendMissed(request, reply, 'media')
      if (!found.isOwner) countView(db, request, { kind: 'media', id: found.media.id })
      const [member] = await addTags(db, [found.media])
      const words = await wordsOfMedia(db, found.media.id, request)
      const media = toPublicMedia(member!, { origin: '', allowsDownload: true, words })
      const path = `/public/${request.params.slug}`
      const isIndexed = await isPageIndexed(db, found.media)
      return sendPage(reply, 200, mediaPage({ media, origin: originOf(request), path, isIndexed }, assets))
    })

    async function sendMissed(
      request: PageRequest,
      reply: FastifyReply,
      what: 'collection' | 'media',
      isEmbedded = false,
    ) {
      await countMiss(db, request)
      return sendPage(reply, 404, notFoundPage(what, assets), isEmbedded)
    }

    /** A wrong password, or too many attempts, is reported in the form itself. */
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

const lastPageOf = (itemCount: number) => Math.max(1, Math.ceil(itemCount / tilesPerPage))

/** Stricter than the application's policy: no inline style either, since branding is a file. */
function policy({ ancestors = "'self'", forms = "'none'" }) {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https: data:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `form-action ${forms}`,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
  ].join('; ')
}

const ownPolicy = policy({})
const formPolicy = policy({ forms: "'self'" })
const embeddedPolicy = policy({ ancestors: '*' }).replace("script-src 'self'; ", '')

function protectPublicPages(app: FastifyInstance) {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('content-security-policy', ownPolicy)
    done()
  })
}

/** The password page, the only one with a form. */
function sendForm(reply: FastifyReply, status: number, page: string) {
  return sendPage(reply.header('content-security-policy', formPolicy), status, page)
}

/** A public page may be private a moment later, so browsers revalidate it on every view. */
function sendPage(reply: FastifyReply, status: number, page: string | Buffer, isEmbedded = false) {
  if (isEmbedded) {
    // The only page that other websites may frame; it has no script and no form.
    reply.header('content-security-policy', embeddedPolicy)
    reply.removeHeader('x-frame-options').header('cross-origin-resource-policy', 'cross-origin')
  }
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({ 'cache-control': 'private, no-cache', vary: 'Cookie, Accept-Encoding, Accept-Language' })
    .send(page)
}

/**
 * For documents that visitors open: a server error or a rate limit is a page, with the same status, Retry-After and log as any
 * response. It is never 404, which would make search engines drop the page.
 */
function answerFaultsAsPages(assets: ClientAssets) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const told = prepareErrorResponse(error, request, reply)
    const { statusCode } = reply
    const isLimited = statusCode === 429
    if (statusCode < 500 && !isLimited) return reply.type('application/json').send(told)
    const isEmbedded = (request.query as { embed?: string }).embed === '1'
    if (isLimited) return sendPage(reply, statusCode, tooManyPage(told.message, assets), isEmbedded)
    const page = faultPage(assets, told.code === 'internal' ? request.id : undefined)
    return sendPage(reply, statusCode, page, isEmbedded)
  }
}

/** For downloads, which programs request too: browsers get a page with the reason, or the password form. */
function answerRefusalsAsPages(assets: ClientAssets) {
  const answerFault = answerFaultsAsPages(assets)
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    if (!request.headers.accept?.includes('text/html')) throw error
    const { slug } = request.params as { slug: string }
    const path = collectionPath(slug)
    if (error.code === 'password-required') return sendForm(reply, 401, passwordPage(path, assets))
    if (error.code === 'not-found') return sendPage(reply, 404, notFoundPage('collection', assets))
    if (error.code === 'download-not-allowed') return sendPage(reply, 403, noDownloadPage(path, error.message, assets))
    return answerFault(error, request, reply)
  }
}
