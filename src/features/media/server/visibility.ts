import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { prepareRows } from '#platform/server/db/prepared.ts'
import { claimSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { isSecure } from '#platform/server/http/origin.ts'
import { findHolders } from './listing/collection-items.ts'
import type { MediaRow } from './to-media.ts'
import { isShared, whenShared } from './when-shared.ts'

/** What a visitor may access of an item. */
export type Grant = {
  /** False if only renditions may be served. */
  allowsOriginal: boolean
  /** False if the response depends on this visitor's password, and must not enter a shared cache. */
  isForAnyone: boolean
  /** When the last link that grants this ends, or the visitor's cookie for it; null if none ends. */
  endsAt: number | null
}

type Shared = Pick<Row<'collections'>, 'id' | 'password_hash' | 'allows_download' | 'share_expires_at'>

/**
 * An item is public through its own address or through public collections that this visitor may open, but never from the
 * trash.
 */
export async function findGrant(
  db: Kysely<Tables>,
  media: Pick<MediaRow, 'id' | 'owner_id' | 'is_trashed' | 'public_slug'>,
  request: FastifyRequest,
): Promise<Grant | null> {
  if (media.is_trashed === 1) return null
  if (media.public_slug !== null) return { allowsOriginal: true, isForAnyone: true, endsAt: null }
  const holding: Shared[] = await listShares(db, Date.now(), media.id)
  const isSettled = () => holding.some((share) => isOpen(share) && givesOriginals(share) && !share.share_expires_at)
  if (!isSettled()) {
    for await (const share of findHolders(db, media.id, (collection) => isShared(collection, Date.now()))) {
      holding.push(share)
      if (isSettled()) break
    }
  }
  // Branding pages are checked only if no open collection contains the item, as they allow no more than one that does.
  const shares = holding.some(isOpen) ? holding : [...holding, ...(await listBrandedShares(db, media))]
  const unlocked: Shared[] = []
  for (const share of shares) {
    const cookieEndsAt = isOpen(share) ? null : await findShareCookie(db, request, share)
    if (cookieEndsAt !== null)
      unlocked.push({ ...share, share_expires_at: earlier(share.share_expires_at, cookieEndsAt) })
  }
  const open = shares.filter(isOpen)
  if (open.length + unlocked.length === 0) return null
  const granting = [...open, ...unlocked]
  const allowsOriginal = granting.some(givesOriginals)
  return {
    allowsOriginal,
    // Also false if everyone sees the picture but only this visitor gets the original.
    isForAnyone: open.length > 0 && open.some(givesOriginals) === allowsOriginal,
    endsAt: lastEnd(allowsOriginal ? granting.filter(givesOriginals) : granting),
  }
}

const earlier = (end: number | null, other: number) => (end === null ? other : Math.min(end, other))

function lastEnd(shares: Shared[]) {
  const ends = shares.map(({ share_expires_at }) => share_expires_at)
  return ends.includes(null) ? null : Math.max(...ends.map(Number))
}

const isOpen = ({ password_hash }: Shared) => password_hash === null
const givesOriginals = ({ allows_download }: Shared) => allows_download === 1

/** Runs for every picture of a public page. */
const listShares = prepareRows((db, now: number, mediaId: number) =>
  shared(db, now)
    .innerJoin('collection_media', 'collections.id', 'collection_media.collection_id')
    .where('collection_media.media_id', '=', mediaId)
    .where('collections.query', 'is', null),
)

/** Collections whose logo or header is this item. It is shown there, but its original is not served. */
async function listBrandedShares(
  db: Kysely<Tables>,
  { id, owner_id }: Pick<MediaRow, 'id' | 'owner_id'>,
): Promise<Shared[]> {
  const rows = await shared(db, Date.now())
    .where('collections.owner_id', '=', owner_id)
    .where('collections.branding', 'like', `%"/files/${id}/%`)
    .execute()
  return rows.map((row) => ({ ...row, allows_download: 0 }))
}

function shared(db: Kysely<Tables>, now: number) {
  return db
    .selectFrom('collections')
    .select(['collections.id', 'collections.password_hash', 'collections.allows_download'])
    .select('collections.share_expires_at')
    .where(whenShared(now))
}

const settingName = 'share-secret'
const keyMs = 7 * 24 * 3600_000

type Share = Pick<Row<'collections'>, 'id' | 'password_hash'>

/**
 * [Note: Share cookies]
 * A visitor who entered a collection's password gets a signed cookie with the collection and an expiry. The signature
 * includes the password's hash, so changing the password invalidates all cookies.
 */
export async function setShareCookie(db: Db, request: FastifyRequest, reply: FastifyReply, share: Share) {
  const until = Date.now() + keyMs
  const key = `${until}.${await sign(db, share, until)}`
  // Files have addresses outside the share's path, so the cookie's path cannot be narrower.
  reply.setCookie(cookieName(share.id), key, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
    maxAge: keyMs / 1000,
  })
}

export const hasShareCookie = async (db: Db, request: FastifyRequest, share: Share) =>
  (await findShareCookie(db, request, share)) !== null

/** When the visitor's cookie for this collection ends; null without a valid one. */
async function findShareCookie(db: Db, request: FastifyRequest, share: Share): Promise<number | null> {
  const [until = '', signature = ''] = (request.cookies[cookieName(share.id)] ?? '').split('.')
  if (!signature || !(Number(until) > Date.now())) return null
  const expected = Buffer.from(await sign(db, share, Number(until)))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? Number(until) : null
}

const cookieName = (collectionId: number) => `albumen_share_${collectionId}`

async function sign(db: Db, { id, password_hash }: Share, until: number) {
  return createHmac('sha256', await loadShareSecret(db))
    .update(`key ${id} ${until} ${password_hash}`)
    .digest('base64url')
}

/** Created once and stored in the database, so that all processes sign alike and a restart invalidates nothing. */
export async function loadShareSecret(db: Db): Promise<string> {
  return (await loadSetting(db, settingName)) ?? claimSetting(db, settingName, randomBytes(32).toString('base64url'))
}
