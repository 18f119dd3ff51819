import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { findVisitor } from '#features/auth/server/guards.ts'
import type { CollectionRow } from '#features/collections/server/store.ts'
import { holdsShareKey } from '#features/media/server/share-keys.ts'
import { canBeSlug } from '#features/media/server/slugs.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { whenShared } from '#features/media/server/visibility.ts'
import { AppError } from '#platform/errors.ts'
import { prepareQuery } from '#platform/server/db/prepared.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { collectionNotFound, mediaNotFound } from '../contract.ts'

/** `isOpen`: no password, or the visitor gave it, or is the owner. */
type Share = { collection: CollectionRow; isOpen: boolean; isOwner: boolean }

/** Null for what is unknown, private or expired: nobody can tell which. */
export async function findShare(db: Kysely<Tables>, slug: string, request: FastifyRequest): Promise<Share | null> {
  const collection = canBeSlug(slug) ? await findSharedTogether(db, slug) : undefined
  if (!collection) return null
  const isOwner = (await findVisitor(db, request))?.id === collection.owner_id
  const isOpen = isOwner || collection.password_hash === null || (await holdsShareKey(db, request, collection))
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

export async function loadSharedMedia(db: Db, id: number) {
  return db
    .selectFrom('media')
    .select('public_slug')
    .where('id', '=', id)
    .where('is_trashed', '=', 0)
    .executeTakeFirst()
}

export const noSuchCollection = () => new AppError('not-found', 404, collectionNotFound)
export const noSuchMedia = () => new AppError('not-found', 404, mediaNotFound)
