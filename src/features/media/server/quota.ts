import { tooLarge, unauthenticated } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'

export const overQuota = (what = 'this file') =>
  tooLarge(`There isn't enough space in your storage for ${what}.`, { isOverQuota: true })

export async function remainingQuota(db: Db, ownerId: number, quotaBytes: number) {
  const owner = await db.selectFrom('users').select('storage_used').where('id', '=', ownerId).executeTakeFirst()
  // Their account may go while a file of theirs is on its way.
  if (!owner) throw unauthenticated()
  return Math.max(0, quotaBytes - owner.storage_used)
}

/**
 * Inside the transaction that inserts the item: the row is locked and compared in one statement, and the counters that
 * the insert moves are the ones compared here. So uploads at the same moment cannot pass the limit together. What gives room
 * back takes the row as well: on PostgreSQL two that take owner and bytes in another order would wait for each other.
 */
export async function reserveQuota(db: Db, ownerId: number, bytes: number, quotaBytes: number, what?: string) {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set((set) => ({ storage_used: set.ref('storage_used') }))
    .where('id', '=', ownerId)
    // Room is welcome back also above the limit, which may have been lowered.
    .$if(bytes > 0, (rows) => rows.where((where) => where(where('storage_used', '+', bytes), '<=', quotaBytes)))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  // Says so when it is not room that is missing, but the account.
  await remainingQuota(db, ownerId, quotaBytes)
  throw overQuota(what)
}
