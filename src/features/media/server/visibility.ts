import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { prepareRows } from '#platform/server/db/prepared.ts'
import { claimSetting, loadSetting } from '#platform/server/db/settings.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { isSecure } from '#platform/server/http/origin.ts'
import type { MediaRow } from './to-media.ts'

/** What a visitor may have of an item. */
export type Grant = {
  /** The bytes as they are, or only pictures made from them. */
  allowsOriginal: boolean
  /** False when the answer depends on a password that this visitor gave: no shared cache may keep it. */
  isForAnyone: boolean
}

type SharedUntil = Pick<Row<'collections'>, 'is_public' | 'share_expires_at'>
type Shared = Pick<Row<'collections'>, 'id' | 'password_hash' | 'allows_download'>

/** An item is public by its own address, or through public collections that are open to this visitor; never from the trash. */
export async function findGrant(
  db: Kysely<Tables>,
  media: Pick<MediaRow, 'id' | 'owner_id' | 'is_trashed' | 'public_slug'>,
  request: FastifyRequest,
): Promise<Grant | null> {
  if (media.is_trashed === 1) return null
  if (media.public_slug !== null) return { allowsOriginal: true, isForAnyone: true }
  const holding = await listShares(db, Date.now(), media.id)
  // A page that only shows the item gives no more than one that holds it and is open to all.
  const shares = holding.some(isOpen) ? holding : [...holding, ...(await listBrandedShares(db, media))]
  const unlocked: Shared[] = []
  for (const share of shares) if (!isOpen(share) && (await hasShareCookie(db, request, share))) unlocked.push(share)
  const open = shares.filter(isOpen)
  if (open.length + unlocked.length === 0) return null
  const allowsOriginal = [...open, ...unlocked].some(givesOriginals)
  // Also not where all see a picture, but only this visitor gets the original.
  return { allowsOriginal, isForAnyone: open.length > 0 && open.some(givesOriginals) === allowsOriginal }
}

const isOpen = ({ password_hash }: Shared) => password_hash === null
const givesOriginals = ({ allows_download }: Shared) => allows_download === 1

/** Asked for every picture of a public page, by every visitor. */
const listShares = prepareRows((db, now: number, mediaId: number) =>
  shared(db, now)
    .innerJoin('collection_media', 'collections.id', 'collection_media.collection_id')
    .where('collection_media.media_id', '=', mediaId),
)

/** Where the item is the logo or header of one of its owner's own pages; it is then shown, but not given away. */
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
    .where(whenShared(now))
}

/** Public and not expired, for queries of collections. */
export const whenShared = (now: number) =>
  sql<boolean>`(collections.is_public = 1 AND (collections.share_expires_at IS NULL OR collections.share_expires_at > ${now}))`

/** The same of a row that was read. */
export const isShared = ({ is_public, share_expires_at }: SharedUntil, now: number) =>
  is_public === 1 && (share_expires_at === null || share_expires_at > now)

const settingName = 'share-secret'
const keyMs = 7 * 24 * 3600_000

type Share = Pick<Row<'collections'>, 'id' | 'password_hash'>

/**
 * [Note: Share cookies] Who gave a collection's password gets a cookie that only the server can make. It names the
 * collection and its end, and is made from the password's hash: another password, and every key given out is void.
 */
export async function setShareCookie(db: Db, request: FastifyRequest, reply: FastifyReply, share: Share) {
  const until = Date.now() + keyMs
  const key = `${until}.${await sign(db, share, until)}`
  // Files live outside the share's own address, so the path cannot be narrower.
  reply.setCookie(cookieName(share.id), key, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
    maxAge: keyMs / 1000,
  })
}

export async function hasShareCookie(db: Db, request: FastifyRequest, share: Share): Promise<boolean> {
  const [until = '', signature = ''] = (request.cookies[cookieName(share.id)] ?? '').split('.')
  if (!signature || !(Number(until) > Date.now())) return false
  const expected = Buffer.from(await sign(db, share, Number(until)))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const cookieName = (collectionId: number) => `albumen_share_${collectionId}`

async function sign(db: Db, { id, password_hash }: Share, until: number) {
  return createHmac('sha256', await loadShareSecret(db))
    .update(`key ${id} ${until} ${password_hash}`)
    .digest('base64url')
}

/** Made once, kept in the database: every process signs alike, and a restart voids nothing. */
export async function loadShareSecret(db: Db): Promise<string> {
  return (await loadSetting(db, settingName)) ?? claimSetting(db, settingName, randomBytes(32).toString('base64url'))
}
