import type { Kysely } from 'kysely'
import { changeSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'

const setting = 'trash-looked-at'
/** A restart or a night without power; the janitor looks every ten minutes otherwise. */
const longestGapMs = 24 * 3600_000

/**
 * [Note: Time in the trash]
 * A clock that is set ahead must not empty the trash. The last look is written down, and of the time since then at most a
 * day counts, whatever the clock says: what it says beyond that is added to the time at which each item was put there.
 * After a clock that was set back nothing lies there since a time that has yet to come. What comes out of a backup is
 * treated likewise: nobody has looked since that was made.
 */
export async function countTimeInTrash(db: Kysely<Tables>, now: number) {
  await db.transaction().execute(async (transaction) => {
    // Held until the end: a gap is counted once, however many processes look.
    const look = { name: setting, initial: String(now) }
    const lookedAt = Number(await changeSetting(transaction, look, () => String(now)))
    const countedUntil = lookedAt + longestGapMs
    const inTrash = transaction.updateTable('media').where('is_trashed', '=', 1)
    if (now > countedUntil) {
      await inTrash
        .set(({ eb }) => ({ trashed_at: eb('trashed_at', '+', now - countedUntil) }))
        .where('trashed_at', '<=', countedUntil)
        .execute()
    }
    await inTrash.set({ trashed_at: now }).where('trashed_at', '>', now).execute()
  })
}

/** Inside the transaction that replaces all rows, by those of a backup that was made then. */
export async function markTrashLookedAt(transaction: Db, moment: number) {
  await saveSetting(transaction, setting, String(Math.min(moment, Date.now())))
}
