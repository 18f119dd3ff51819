import { tooLarge, unauthenticated } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { MediaRow } from './to-media.ts'

export const overQuota = () =>
  tooLarge("There isn't enough space in your storage for this file.", { isOverQuota: true })

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
  /** The item whose bytes these replace. */
  replaced?: Pick<MediaRow, 'id' | 'blob' | 'size'>
}

/**
 * [Note: Shared bytes count once]
 * Bytes that several items of an owner share count once in the owner's storage, so a copy costs nothing. Called in the
 * transaction that inserts the item. The owner's row is locked first, so concurrent uploads cannot exceed the limit. Freeing
 * quota locks the row as well, which on PostgreSQL keeps the order of locks.
 */
export async function reserveQuota(db: Db, ownerId: number, { sha256, bytes, quotaBytes, replaced }: Reservation) {
  const owner = await db
    .updateTable('users')
    .set((set) => ({ storage_used: set.ref('storage_used') }))
    .where('id', '=', ownerId)
    .returning('storage_used')
    .executeTakeFirst()
  if (!owner) throw unauthenticated()
  const addedBytes = (await hasItem(db, ownerId, sha256)) ? 0 : bytes
  const isFreed = replaced && !(await hasItem(db, ownerId, replaced.blob, replaced.id))
  const growth = addedBytes - (isFreed ? replaced.size : 0)
  // Freeing quota is always allowed, even above a limit that was lowered.
  if (growth > 0 && owner.storage_used + growth > quotaBytes) throw overQuota()
}

async function hasItem(db: Db, ownerId: number, blob: string, exceptId = 0) {
  const item = db.selectFrom('media').select('id').where('blob', '=', blob).where('owner_id', '=', ownerId)
  return (await item.where('id', '!=', exceptId).limit(1).executeTakeFirst()) !== undefined
}
