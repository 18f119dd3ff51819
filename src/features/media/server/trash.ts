import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { dialectOf } from '#platform/server/db/dialect.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import { changeSetting, saveSetting } from '#platform/server/db/settings.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { trashDays } from '../limits.ts'
import { indexMedia } from './listing/search-documents.ts'
import { missingMedia, type Outcome } from './not-found.ts'
import { deleteSlugs, lockCounters, lockMedia, lockOwnedMedia } from './store.ts'
import { deleteExpiredVersions, shiftExpiring } from './versions.ts'

const trashMs = trashDays * 24 * 3600_000
const batch = 500

/** Moves items in or out of the trash in small transactions, so that other writers do not wait long. */
export async function setTrashed(
  db: Kysely<Tables>,
  ownerId: number,
  ids: number[],
  isTrashed: boolean,
): Promise<Outcome> {
  const changed: number[] = []
  const wanted = [...new Set(ids)]
  for (const part of chunksOf(wanted, batch)) {
    const moved = await db.transaction().execute((transaction) => moveBatch(transaction, ownerId, part, isTrashed))
    changed.push(...moved)
  }
  const done = new Set(changed)
  return { changed, errors: wanted.filter((id) => !done.has(id)).map(missingMedia) }
}

async function moveBatch(db: Db, ownerId: number, ids: number[], isTrashed: boolean) {
  const ownIds = (await lockOwnedMedia(db, ownerId, ids)).map(({ id }) => id)
  if (ownIds.length === 0) return []
  await moveLocked(db, ownIds, isTrashed)
  return ownIds
}

/** Moves at most a few hundred items that the transaction has locked. */
export async function moveLocked(db: Db, ids: number[], isTrashed: boolean) {
  await lockCounters(db, ids)
  await db
    .updateTable('media')
    .set({ is_trashed: isTrashed ? 1 : 0, trashed_at: isTrashed ? Date.now() : null, updated_at: Date.now() })
    .where('id', 'in', ids)
    .execute()
  await indexMedia(db, ids)
}

export async function emptyTrash(db: Kysely<Tables>, ownerId: number) {
  return deleteTrashed(db, (rows) => rows('owner_id', '=', ownerId))
}

/** Deletes items whose time in the trash is over; see [Note: Time in the trash]. */
export async function removeOldTrash(db: Kysely<Tables>) {
  const now = Date.now()
  await countTimeInTrash(db, now)
  await deleteTrashed(db, (rows) => rows('trashed_at', '<', now - trashMs))
  await deleteExpiredVersions(db, now - trashMs)
}

type Filter = (rows: ExpressionBuilder<Tables, 'media'>) => Expression<SqlBool>

async function deleteTrashed(db: Kysely<Tables>, filter: Filter) {
  for (let deleted = 0; ; ) {
    const { found, gone } = await db.transaction().execute((transaction) => deleteBatch(transaction, filter))
    if (found === 0) return deleted
    deleted += gone
  }
}

/** An item may have been restored since it was listed, and is then kept. */
async function deleteBatch(db: Db, filter: Filter) {
  const trashed = db.selectFrom('media').select('id').where('is_trashed', '=', 1).where(filter)
  const ids = (await trashed.limit(batch).execute()).map(({ id }) => id)
  if (ids.length === 0) return { found: 0, gone: 0 }
  await lockMedia(db, ids)
  await lockCounters(db, ids)
  const gone = await db
    .deleteFrom('media')
    .where('id', 'in', ids)
    .where('is_trashed', '=', 1)
    .where(filter)
    .returning('id')
    .execute()
  await deleteSlugs(
    db,
    gone.map(({ id }) => id),
  )
  return { found: ids.length, gone: gone.length }
}

const setting = 'trash-looked-at'
/** Longer than a restart or a power cut overnight; normally the janitor runs every ten minutes. */
const longestGapMs = 24 * 3600_000

/**
 * [Note: Time in the trash]
 * A clock that is set ahead must not empty the trash. So of the time since the last check at most a day counts, and any
 * excess is added to each item's `trashed_at`. If the clock was set back, times in the future become now. The gap since a
 * restored backup is treated likewise, and so are originals that a conversion replaced.
 */
export async function countTimeInTrash(db: Kysely<Tables>, now: number) {
  await db.transaction().execute(async (transaction) => {
    // Locked until the transaction ends, so that concurrent processes count a gap once.
    const look = { name: setting, initial: String(now) }
    const lookedAt = Number(await changeSetting(transaction, look, () => String(now)))
    const countedUntil = lookedAt + longestGapMs
    if (now > countedUntil) {
      const early = await lockTrashed(transaction, (trashed) => trashed('trashed_at', '<=', countedUntil))
      for (const part of partsToAsk(early)) {
        const items = transaction.updateTable('media').where('id', 'in', part)
        await items.set(({ eb }) => ({ trashed_at: eb('trashed_at', '+', now - countedUntil) })).execute()
      }
    }
    const ahead = await lockTrashed(transaction, (trashed) => trashed('trashed_at', '>', now))
    for (const part of partsToAsk(ahead)) {
      await transaction.updateTable('media').where('id', 'in', part).set({ trashed_at: now }).execute()
    }
    await shiftExpiring(transaction, { until: countedUntil, byMs: Math.max(0, now - countedUntil), now })
  })
}

/** Locks the items before they are changed; see [Note: Items are locked first]. */
async function lockTrashed(db: Db, filter: (rows: ExpressionBuilder<Tables, 'media'>) => Expression<SqlBool>) {
  const trashed = db.selectFrom('media').select('id').where('is_trashed', '=', 1).where(filter).orderBy('id')
  const rows = await dialectOf(db).lockRows(trashed).execute()
  return rows.map(({ id }) => id)
}

/** Called in the transaction that restores a backup; `moment` is when the backup was made. */
export async function recordTrashCheck(transaction: Db, moment: number) {
  await saveSetting(transaction, setting, String(Math.min(moment, Date.now())))
}
