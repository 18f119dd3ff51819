import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
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
    if (now > countedUntil) {
      const early = await holdTrashed(transaction, (trashed) => trashed('trashed_at', '<=', countedUntil))
      for (const part of partsToAsk(early)) {
        const items = transaction.updateTable('media').where('id', 'in', part)
        await items.set(({ eb }) => ({ trashed_at: eb('trashed_at', '+', now - countedUntil) })).execute()
      }
    }
    const ahead = await holdTrashed(transaction, (trashed) => trashed('trashed_at', '>', now))
    for (const part of partsToAsk(ahead)) {
      await transaction.updateTable('media').where('id', 'in', part).set({ trashed_at: now }).execute()
    }
  })
}

/** Before they are changed, as everybody does; see [Note: Items are held first]. */
async function holdTrashed(db: Db, which: (rows: ExpressionBuilder<Tables, 'media'>) => Expression<SqlBool>) {
  const trashed = db.selectFrom('media').select('id').where('is_trashed', '=', 1).where(which).orderBy('id')
  const rows = await dialectOf(db).lockRows(trashed).execute()
  return rows.map(({ id }) => id)
}

/** Inside the transaction that replaces all rows, by those of a backup that was made then. */
export async function markTrashLookedAt(transaction: Db, moment: number) {
  await saveSetting(transaction, setting, String(Math.min(moment, Date.now())))
}
