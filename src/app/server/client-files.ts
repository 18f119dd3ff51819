import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authApi, type User } from '#features/auth/contract.ts'
import { findVisitor } from '#features/auth/server/guards.ts'
import { mediaApi } from '#features/media/contract.ts'
import { pageQuery, parseLibraryView, preferredView } from '#features/media/library-view.ts'
import { methodNotAllowed, notFound } from '#platform/errors.ts'
import { urlOf } from '#platform/url-of.ts'
import type { Services } from './services.ts'

export const builtClientDir = fileURLToPath(new URL('../../../dist/client/', import.meta.url))
const screensWithUser = new Set(['/', '/tags', '/websites', '/scraper', '/admin', '/database'])
const screens = new Set([...screensWithUser, '/auth'])
const publicPage = /^\/public\/(collections\/)?[\w-]+$/
const yearSeconds = 365 * 24 * 3600

type PageServices = Pick<Services, 'db' | 'events'>
type ClientOptions = { clientDir: string; methodsOf: (pathname: string) => string[] }

/** Serves the built client: files with a hash in their name are cached for a year, the page is always revalidated. */
export async function serveClient(app: FastifyInstance, { db, events }: PageServices, options: ClientOptions) {
  const { clientDir, methodsOf } = options
  const page = await readFile(join(clientDir, 'index.html'), 'utf8').catch(() => null)
  await app.register(async (part) => {
    part.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' }
    })
    const usual = { index: false, suppressWarning: true, preCompressed: true, cacheControl: false } as const
    // One wildcard route, since a route for each of some hundred files would slow down the start.
    await part.register(fastifyStatic, {
      ...usual,
      root: join(clientDir, 'assets'),
      prefix: '/assets/',
      // A request for a folder gets 404; otherwise it would get 403.
      allowedPath: (pathname) => /\.\w+$/.test(pathname),
      setHeaders: (reply) => reply.header('cache-control', `public, max-age=${yearSeconds}, immutable`),
    })
    await part.register(fastifyStatic, {
      ...usual,
      root: clientDir,
      decorateReply: false,
      wildcard: false,
      // Pages are served at the paths of screens, not at their file names.
      globIgnore: ['assets/**', '*.html', '*.html.*'],
      setHeaders: (reply) => reply.header('cache-control', 'no-cache'),
    })
  })
  app.setNotFoundHandler(async (request, reply) => {
    const [pathname, query] = request.url.split(/\?(.*)/s) as [string, string?]
    const wantsPage =
      (request.method === 'GET' || request.method === 'HEAD') && !/^\/(api|files|assets)(\/|$)/.test(pathname)
    if (!wantsPage) {
      const methods = methodsOf(pathname)
      if (methods.length === 0) throw notFound('This URL was')
      reply.header('allow', methods.join(', '))
      throw methodNotAllowed(request.method, methods)
    }
    // Paths of screens and public pages also work with a trailing slash.
    const screen = pathname.slice(0, -1)
    if (pathname.endsWith('/') && screen !== '/' && (screens.has(screen) || publicPage.test(screen))) {
      return reply.header('cache-control', 'no-cache').redirect(query ? `${screen}?${query}` : screen, 301)
    }
    if (page === null)
      return reply.code(503).type('text/plain').send('The client has not been built yet: run `npm run build`.')
    const visitor = screensWithUser.has(pathname) ? await findVisitorIfReachable(request, db) : null
    const head = visitor ? preloadTags(preloadedBy(pathname, query, visitor), events.latestId()) : ''
    return sendPage(reply, page.replace('<title>', `${head}<title>`), screens.has(pathname) ? 200 : 404)
  })
}

function sendPage(reply: FastifyReply, page: string, status: number) {
  return reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'private, no-cache').send(page)
}

/**
 * What the client of a screen requests first. Each address must be requested as soon as the client runs: the browser keeps
 * an unused response, and would later treat it as fresh.
 */
function preloadedBy(pathname: string, query = '', { preferences }: User): string[] {
  const view = parseLibraryView(query, preferredView(preferences))
  const showsList = pathname === '/' && view.tab === 'media' && !new URLSearchParams(query).has('tool')
  return [
    authApi.currentUser.path,
    ...(showsList ? [urlOf<typeof mediaApi.list>(mediaApi.list.path, {}, pageQuery(view))] : []),
  ]
}

/** The page is also sent while the database is unreachable, without preloading anything. */
const findVisitorIfReachable = (request: FastifyRequest, db: PageServices['db']) =>
  findVisitor(db, request).catch(() => null)

/** The id tells the client's event stream which changes the preloaded responses may not contain. */
function preloadTags(addresses: string[], latestEventId: string) {
  const links = addresses.map(
    (address) =>
      `<link rel="preload" as="fetch" crossorigin="use-credentials" href="${address.replaceAll('&', '&amp;')}" />`,
  )
  return `${links.join('')}<meta name="latest-event" content="${latestEventId}" />`
}
