import type { Db } from '#platform/server/db/tables.ts'
import type { MediaRow } from './to-media.ts'

/** An item is public by its own address, or through a public collection; never from the trash. */
export async function isPublic(db: Db, media: Pick<MediaRow, 'id' | 'is_trashed' | 'public_slug'>) {
  if (media.is_trashed === 1) return false
  if (media.public_slug !== null) return true
  return isInOpenCollection(db, media.id)
}

/** Public, not expired, and not behind a password. */
async function isInOpenCollection(db: Db, mediaId: number) {
  const collection = await db
    .selectFrom('collection_media')
    .innerJoin('collections', 'collections.id', 'collection_media.collection_id')
    .select('collections.id')
    .where('collection_media.media_id', '=', mediaId)
    .where('collections.is_public', '=', 1)
    .where('collections.password_hash', 'is', null)
    .where((where) => where.or([where('share_expires_at', 'is', null), where('share_expires_at', '>', Date.now())]))
    .limit(1)
    .executeTakeFirst()
  return collection !== undefined
}
