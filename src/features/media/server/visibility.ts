import type { FastifyRequest } from 'fastify'
import type { Db, Row } from '#platform/server/db/tables.ts'
import { holdsShareKey } from './share-keys.ts'
import type { MediaRow } from './to-media.ts'

/** What a visitor may have of an item. */
export type Grant = {
  /** The bytes as they are, or only pictures made from them. */
  allowsOriginal: boolean
  /** False when the answer depends on a password that this visitor gave: no shared cache may keep it. */
  isForAnyone: boolean
}

type Shared = Pick<Row<'collections'>, 'id' | 'password_hash' | 'allows_download'>

/** An item is public by its own address, or through public collections that are open to this visitor; never from the trash. */
export async function findGrant(
  db: Db,
  media: Pick<MediaRow, 'id' | 'owner_id' | 'is_trashed' | 'public_slug'>,
  request: FastifyRequest,
): Promise<Grant | null> {
  if (media.is_trashed === 1) return null
  if (media.public_slug !== null) return { allowsOriginal: true, isForAnyone: true }
  const shares = [...(await listShares(db, media.id)), ...(await listBrandedShares(db, media))]
  const open = shares.filter(({ password_hash }) => password_hash === null)
  const unlocked: Shared[] = []
  for (const share of shares) if (share.password_hash && (await holdsShareKey(db, request, share))) unlocked.push(share)
  const granting = [...open, ...unlocked]
  if (granting.length === 0) return null
  return {
    allowsOriginal: granting.some(({ allows_download }) => allows_download === 1),
    isForAnyone: open.length > 0,
  }
}

async function listShares(db: Db, mediaId: number): Promise<Shared[]> {
  return shared(db)
    .innerJoin('collection_media', 'collections.id', 'collection_media.collection_id')
    .where('collection_media.media_id', '=', mediaId)
    .execute()
}

/** Where the item is the logo or header of one of its owner's own pages; it is then shown, but not given away. */
async function listBrandedShares(db: Db, { id, owner_id }: Pick<MediaRow, 'id' | 'owner_id'>): Promise<Shared[]> {
  const rows = await shared(db)
    .where('collections.owner_id', '=', owner_id)
    .where('collections.branding', 'like', `%"/files/${id}/%`)
    .execute()
  return rows.map((row) => ({ ...row, allows_download: 0 }))
}

/** Public and not expired. */
function shared(db: Db) {
  return db
    .selectFrom('collections')
    .select(['collections.id', 'collections.password_hash', 'collections.allows_download'])
    .where('collections.is_public', '=', 1)
    .where((where) => where.or([where('share_expires_at', 'is', null), where('share_expires_at', '>', Date.now())]))
}
