import { tooLarge, unauthenticated } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'

export const overQuota = () =>
  tooLarge("There isn't enough space in your storage for this file.", { isOverQuota: true })

const noRoomForOriginal = () =>
  tooLarge("There isn't enough space to keep the original. Delete earlier versions in History and try again.", {
    isOverQuota: true,
  })

export async function remainingQuota(db: Db, ownerId: number, quotaBytes: number) {
  const owner = await db.selectFrom('users').select('storage_used').where('id', '=', ownerId).executeTakeFirst()
  // The account may be deleted during an upload.
  if (!owner) throw unauthenticated()
  return Math.max(0, quotaBytes - owner.storage_used)
}

type Reservation = {
  sha256: string
  bytes: number
  quotaBytes: number
  /** Set if these bytes replace larger ones, which are kept for a while. */
  isSmaller?: boolean
}

/**
 * [Note: Shared bytes count once]
 * Bytes that several items of an owner share count once in the owner's storage, so a copy costs nothing. Called in the
 * transaction that inserts the item. The owner's row is locked first, so concurrent uploads cannot exceed the limit. Freeing
 * quota locks the row as well, which on PostgreSQL keeps the order of locks.
 *
 * Users who convert images to smaller ones want to free space, so the originals that are kept may exceed the quota by as
 * much again.
 */
export async function reserveQuota(db: Db, ownerId: number, { sha256, bytes, quotaBytes, isSmaller }: Reservation) {
  const owner = await db
    .updateTable('users')
    .set((set) => ({ storage_used: set.ref('storage_used') }))
    .where('id', '=', ownerId)
    .returning('storage_used')
    .executeTakeFirst()
  if (!owner) throw unauthenticated()
  const addedBytes = (await hasBytes(db, ownerId, sha256)) ? 0 : bytes
  if (addedBytes === 0) return
  const usedBytes = owner.storage_used + addedBytes
  if (isSmaller && usedBytes > 2 * quotaBytes) throw noRoomForOriginal()
  if (!isSmaller && usedBytes > quotaBytes) throw overQuota()
}

async function hasBytes(db: Db, ownerId: number, blob: string) {
  for (const table of ['media', 'media_versions'] as const) {
    const row = db.selectFrom(table).select('id').where('blob', '=', blob).where('owner_id', '=', ownerId)
    if (await row.limit(1).executeTakeFirst()) return true
  }
  return false
}
