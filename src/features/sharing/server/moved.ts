import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSlugTarget } from '#features/media/server/slugs.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { loadShared, loadSharedMedia } from './shares.ts'

/** A renamed address leads to the present one, for every address below it; while it is public, not longer. */
export function leadMovedAlong(app: FastifyInstance, db: Db) {
  app.addHook('preHandler', async (request, reply) => {
    const { slug } = request.params as { slug?: string }
    if (!slug || request.routeOptions.config.leadsMovedItself) return
    await leadAlong(db, slug, request, reply)
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked so often that it looks for a moved address only when it has found nothing at the present one. */
    leadsMovedItself?: boolean
  }
}

/** Says whether it has answered. */
export async function leadAlong(db: Db, slug: string, request: FastifyRequest, reply: FastifyReply) {
  const isCollection = request.routeOptions.url?.includes('/collections/')
  const present = await (isCollection ? presentCollectionSlug(db, slug) : presentMediaSlug(db, slug))
  if (!present || present === slug) return false
  // From the route: a name such as "pub" or "media" stands in the address before the place that is meant.
  const query = request.url.indexOf('?')
  const address = request.routeOptions.url!.replace(':slug', present) + (query < 0 ? '' : request.url.slice(query))
  // A password that was being typed when the address changed is sent on as it is, which only 307 asks of a browser.
  const status = request.method === 'POST' ? 307 : 301
  // Not kept by browsers: an address that moved may move back.
  reply.header('cache-control', 'no-cache').redirect(address, status)
  return true
}

async function presentCollectionSlug(db: Db, slug: string) {
  const id = await findSlugTarget(db, 'collection', slug)
  return id === undefined ? undefined : (await loadShared(db, id))?.public_slug
}

async function presentMediaSlug(db: Db, slug: string) {
  const id = await findSlugTarget(db, 'media', slug)
  return id === undefined ? undefined : (await loadSharedMedia(db, id))?.public_slug
}
