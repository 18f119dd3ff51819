import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import { trashDays } from '../limits.ts'
import { indexMedia } from './listing/search-documents.ts'
import { missingMedia, type Outcome } from './none-there.ts'
import { deleteSlugs, holdCounters, holdMedia, holdOwnedMedia } from './store.ts'
import { countTimeInTrash } from './trash-time.ts'

const keptMs = trashDays * 24 * 3600_000
const batch = 500

/** Moves items in or out, a bounded number per transaction so that nobody waits long for the writer. */
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
  const ownIds = (await holdOwnedMedia(db, ownerId, ids)).map(({ id }) => id)
  if (ownIds.length === 0) return []
  await holdCounters(db, ownIds)
  await db
    .updateTable('media')
    .set({ is_trashed: isTrashed ? 1 : 0, trashed_at: isTrashed ? Date.now() : null, updated_at: Date.now() })
    .where('id', 'in', ownIds)
    .execute()
  await indexMedia(db, ownIds)
  return ownIds
}

export async function emptyTrash(db: Kysely<Tables>, ownerId: number) {
  return deleteTrashed(db, (rows) => rows('owner_id', '=', ownerId))
}

/** What has lain in the trash for that long goes by itself; see [Note: Time in the trash]. */
export async function removeOldTrash(db: Kysely<Tables>) {
  const now = Date.now()
  await countTimeInTrash(db, now)
  await deleteTrashed(db, (rows) => rows('trashed_at', '<', now - keptMs))
}

type Which = (rows: ExpressionBuilder<Tables, 'media'>) => Expression<SqlBool>

async function deleteTrashed(db: Kysely<Tables>, which: Which) {
  for (let deleted = 0; ; ) {
    const { found, gone } = await db.transaction().execute((transaction) => deleteBatch(transaction, which))
    if (found === 0) return deleted
    deleted += gone
  }
}

/** Somebody may have taken an item out of the trash since it was listed; it stays. */
async function deleteBatch(db: Db, which: Which) {
  const trashed = db.selectFrom('media').select('id').where('is_trashed', '=', 1).where(which)
  const ids = (await trashed.limit(batch).execute()).map(({ id }) => id)
  if (ids.length === 0) return { found: 0, gone: 0 }
  await holdMedia(db, ids)
  await holdCounters(db, ids)
  const gone = await db
    .deleteFrom('media')
    .where('id', 'in', ids)
    .where('is_trashed', '=', 1)
    .where(which)
    .returning('id')
    .execute()
  await deleteSlugs(
    db,
    gone.map(({ id }) => id),
  )
  return { found: ids.length, gone: gone.length }
}
