import { tooLarge, unauthenticated } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'

export const overQuota = (what = 'this file') =>
  tooLarge(`There isn't enough space in your storage for ${what}.`, { isOverQuota: true })

export async function remainingQuota(db: Db, ownerId: number, quotaBytes: number) {
  const owner = await db.selectFrom('users').select('storage_used').where('id', '=', ownerId).executeTakeFirst()
  // The account may be deleted during an upload.
  if (!owner) throw unauthenticated()
  return Math.max(0, quotaBytes - owner.storage_used)
}

/**
 * Called in the transaction that inserts the item. One statement locks the owner's row and compares its counter, so
 * concurrent uploads cannot exceed the limit. Freeing quota locks the row as well, which on PostgreSQL keeps the order of
 * locks.
 */
export async function reserveQuota(db: Db, ownerId: number, bytes: number, quotaBytes: number, what?: string) {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set((set) => ({ storage_used: set.ref('storage_used') }))
    .where('id', '=', ownerId)
    // Freeing quota is always allowed, even above a limit that was lowered.
    .$if(bytes > 0, (rows) => rows.where((where) => where(where('storage_used', '+', bytes), '<=', quotaBytes)))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  // Throws a different error if the account no longer exists.
  await remainingQuota(db, ownerId, quotaBytes)
  throw overQuota(what)
}
