import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { addressGroup } from '#features/auth/server/address-group.ts'
import { findVisitor } from '#features/auth/server/guards.ts'
import { verifyPassword } from '#features/auth/server/passwords.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { countMiss } from '#features/media/server/missed-addresses.ts'
import { canBeSlug, findSlugTarget } from '#features/media/server/slugs.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { hasShareCookie, setShareCookie } from '#features/media/server/visibility.ts'
import { whenShared } from '#features/media/server/when-shared.ts'
import { AppError } from '#platform/errors.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import {
  checkRateLimits,
  consumeRateLimits,
  type Limit,
  refundRateLimit,
  resetRateLimit,
} from '#platform/server/rate-limits.ts'
import { collectionNotFound, mediaNotFound } from '../contract.ts'

/** `isOpen`: there is no password, or the visitor has entered it, or is the owner. */
type Share = { collection: CollectionRow; isOpen: boolean; isOwner: boolean }

/** Null for an unknown, private or expired collection, so that a visitor cannot tell which. */
export async function findShare(db: Kysely<Tables>, slug: string, request: FastifyRequest): Promise<Share | null> {
  const collection = canBeSlug(slug) ? await findSharedBatched(db, slug) : undefined
  if (!collection) return null
  const isOwner = (await findVisitor(db, request))?.id === collection.owner_id
  const isOpen = isOwner || collection.password_hash === null || (await hasShareCookie(db, request, collection))
  return { collection, isOpen, isOwner }
}

/** A collection that the visitor may see; throws the reason otherwise. */
export async function openShare(db: Kysely<Tables>, slug: string, request: FastifyRequest): Promise<Share> {
  const share = await findShare(db, slug, request)
  if (!share) throw await missedCollection(db, request)
  if (!share.isOpen) throw new AppError('password-required', 401, 'This collection is protected by a password.')
  return share
}

/** The collection if it is public now. */
export const loadShared = (db: Db, id: number) => shared(db, Date.now()).where('id', '=', id).executeTakeFirst()

const findShared = prepareQuery((db, now: number, slug: string) => shared(db, now).where('public_slug', '=', slug))

type Queries = Map<string, ReturnType<typeof findShared>>
const queriesOf = new WeakMap<Kysely<Tables>, Queries>()

/** Concurrent requests share one query, which starts after the last of them was made. */
function findSharedBatched(db: Kysely<Tables>, slug: string) {
  const queries: Queries = queriesOf.get(db) ?? new Map()
  queriesOf.set(db, queries)
  const query = queries.get(slug) ?? queryNextTurn()
  queries.set(slug, query)
  return query

  async function queryNextTurn() {
    await nextTurn()
    queries.delete(slug)
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

/** The error for an address that leads to no collection; throws another one for a visitor who guesses. */
export async function missedCollection(db: Db, request: FastifyRequest) {
  await countMiss(db, request)
  return new AppError('not-found', 404, collectionNotFound)
}

export async function missedMedia(db: Db, request: FastifyRequest) {
  await countMiss(db, request)
  return new AppError('not-found', 404, mediaNotFound)
}

/** Redirects a renamed address and everything below it to the current one, while the collection is public. */
export function redirectRenamedAddresses(app: FastifyInstance, db: Db) {
  app.addHook('preHandler', async (request, reply) => {
    const { slug } = request.params as { slug?: string }
    if (!slug || request.routeOptions.config.redirectsItself) return
    await redirectToCurrent(db, slug, request, reply)
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A frequent route, which queries for a renamed address only after it found nothing at the current one. */
    redirectsItself?: boolean
  }
}

/** Returns whether it has replied. */
export async function redirectToCurrent(db: Db, slug: string, request: FastifyRequest, reply: FastifyReply) {
  const isCollection = request.routeOptions.url?.includes('/collections/')
  const present = await (isCollection ? presentCollectionSlug(db, slug) : presentMediaSlug(db, slug))
  if (!present || present === slug) return false
  // Taken from the route, because a slug such as "pub" or "media" may also occur earlier in the path.
  const query = request.url.indexOf('?')
  const address = request.routeOptions.url!.replace(':slug', present) + (query < 0 ? '' : request.url.slice(query))
  // 307 makes the browser resend a submitted password to the new address.
  const status = request.method === 'POST' ? 307 : 301
  // Browsers must not cache the redirect, since the address may be changed back.
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

/**
 * Ten attempts per IP address and link. When very many addresses have guessed, each gets a single attempt, so that guessing
 * is slow and a visitor who knows the password still gets in.
 */
const limitsOf = (collectionId: number, address: string) => ({
  ofAddress: { name: `share ${collectionId} ${addressGroup(address)}`, max: 10, windowMs } satisfies Limit,
  ofLink: { name: `share ${collectionId}`, max: 200, windowMs } satisfies Limit,
})

type UnlockAttempt = { collection: CollectionRow; password: string; request: FastifyRequest; reply: FastifyReply }

export async function unlockShare(db: Kysely<Tables>, { collection, password, request, reply }: UnlockAttempt) {
  const { ofAddress, ofLink } = limitsOf(collection.id, request.ip)
  await consumeRateLimits(db, [ofAddress])
  const overrun = await consumeOrExplain(db, ofLink)
  if (overrun) await checkRateLimits(db, [{ ...ofAddress, max: 2 }])
  if (!(await verifyPassword(password, collection.password_hash ?? undefined))) {
    throw overrun ?? new AppError('wrong-password', 401, 'Incorrect password.')
  }
  await resetRateLimit(db, ofAddress.name)
  // A right password is no guess, so it does not count against the link.
  await refundRateLimit(db, ofLink)
  await setShareCookie(db, request, reply, collection)
}

/** Counts an attempt; returns the error if it exceeds the limit. */
async function consumeOrExplain(db: Db, limit: Limit): Promise<AppError | null> {
  try {
    await consumeRateLimits(db, [limit])
    return null
  } catch (error) {
    if (error instanceof AppError && error.status === 429) return error
    throw error
  }
}
