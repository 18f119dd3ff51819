import type { FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { prepareRows } from '#platform/server/db/prepared.ts'
import type { Row, Tables } from '#platform/server/db/tables.ts'
import { holdsShareKey } from './share-keys.ts'
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
  for (const share of shares) if (!isOpen(share) && (await holdsShareKey(db, request, share))) unlocked.push(share)
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
