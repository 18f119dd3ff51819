import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { findVisitor } from '#features/auth/server/guards.ts'
import { verifyPassword } from '#features/auth/server/passwords.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { canBeSlug, findSlugTarget } from '#features/media/server/slugs.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { hasShareCookie, setShareCookie, whenShared } from '#features/media/server/visibility.ts'
import { AppError } from '#platform/errors.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { consumeRateLimits, type Limit, refundRateLimit, resetRateLimit } from '#platform/server/rate-limits.ts'
import { collectionNotFound, mediaNotFound } from '../contract.ts'

/** `isOpen`: no password, or the visitor gave it, or is the owner. */
type Share = { collection: CollectionRow; isOpen: boolean; isOwner: boolean }

/** Null for what is unknown, private or expired: nobody can tell which. */
export async function findShare(db: Kysely<Tables>, slug: string, request: FastifyRequest): Promise<Share | null> {
  const collection = canBeSlug(slug) ? await findSharedTogether(db, slug) : undefined
  if (!collection) return null
  const isOwner = (await findVisitor(db, request))?.id === collection.owner_id
  const isOpen = isOwner || collection.password_hash === null || (await hasShareCookie(db, request, collection))
  return { collection, isOpen, isOwner }
}

/** One that the visitor may see; else they are told why not. */
export async function openShare(db: Kysely<Tables>, slug: string, request: FastifyRequest): Promise<Share> {
  const share = await findShare(db, slug, request)
  if (!share) throw noSuchCollection()
  if (!share.isOpen) throw new AppError('password-required', 401, 'This collection is protected by a password.')
  return share
}

/** The collection if it is public at this moment. */
export const loadShared = (db: Db, id: number) => shared(db, Date.now()).where('id', '=', id).executeTakeFirst()

const findShared = prepareQuery((db, now: number, slug: string) => shared(db, now).where('public_slug', '=', slug))

type Looks = Map<string, ReturnType<typeof findShared>>
const looksIn = new WeakMap<Kysely<Tables>, Looks>()

/** Those who ask at the same moment are answered by one look, which begins after the last of them has asked. */
function findSharedTogether(db: Kysely<Tables>, slug: string) {
  const looks: Looks = looksIn.get(db) ?? new Map()
  looksIn.set(db, looks)
  const look = looks.get(slug) ?? lookNextTurn()
  looks.set(slug, look)
  return look

  async function lookNextTurn() {
    await nextTurn()
    looks.delete(slug)
    return findShared(db, Date.now(), slug)
  }
}

function shared(db: Db, now: number) {
  return db.selectFrom('collections').selectAll().where(whenShared(now)).where('public_slug', 'is not', null)
}

export async function findSharedMedia(db: Kysely<Tables>, slug: string, request: FastifyRequest) {
  if (!canBeSlug(slug)) return null
  const media: MediaRow | undefined = await db
    .selectFrom('media')
    .selectAll()
    .where('public_slug', '=', slug)
    .where('is_trashed', '=', 0)
    .executeTakeFirst()
  return media ? { media, isOwner: (await findVisitor(db, request))?.id === media.owner_id } : null
}

async function loadSharedMedia(db: Db, id: number) {
  return db
    .selectFrom('media')
    .select('public_slug')
    .where('id', '=', id)
    .where('is_trashed', '=', 0)
    .executeTakeFirst()
}

export const noSuchCollection = () => new AppError('not-found', 404, collectionNotFound)
export const noSuchMedia = () => new AppError('not-found', 404, mediaNotFound)

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

const windowMs = 15 * 60_000

/** Ten tries an address and link; and a link as a whole holds out against many addresses. */
const limitsOf = (collectionId: number, address: string) => ({
  ofAddress: { name: `share ${collectionId} ${addressGroup(address)}`, max: 10, windowMs } satisfies Limit,
  ofLink: { name: `share ${collectionId}`, max: 200, windowMs } satisfies Limit,
})

type Trying = { collection: CollectionRow; password: string; request: FastifyRequest; reply: FastifyReply }

export async function unlockShare(db: Kysely<Tables>, { collection, password, request, reply }: Trying) {
  const { ofAddress, ofLink } = limitsOf(collection.id, request.ip)
  await consumeRateLimits(db, [ofAddress, ofLink])
  if (!(await verifyPassword(password, collection.password_hash ?? undefined))) {
    throw new AppError('wrong-password', 401, 'Incorrect password.')
  }
  await resetRateLimit(db, ofAddress.name)
  // Whoever was given the password was no guesser, however many they are.
  await refundRateLimit(db, ofLink)
  await setShareCookie(db, request, reply, collection)
}
