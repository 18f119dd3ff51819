import type { Kysely } from 'kysely'
import { lockMedia } from '#features/media/server/store.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'

/** Runs are undone within days or never; what waits for somebody waits. */
export async function removeOldRuns(db: Kysely<Tables>, olderThanMs: number) {
  const old = await db
    .selectFrom('ai_runs')
    .select('id')
    .where('updated_at', '<', Date.now() - olderThanMs)
    .where('status', 'not in', ['running', 'review', 'applying'])
    .execute()
  for (const { id } of old) {
    while (await db.transaction().execute((transaction) => removeItems(transaction, id))) {}
    await db.deleteFrom('ai_runs').where('id', '=', id).execute()
  }
}

const itemsAtOnce = 500

/** Whoever deletes these items at the same moment takes away the same rows; see [Note: Items are locked first]. */
async function removeItems(db: Db, runId: string) {
  const items = await db
    .selectFrom('ai_run_items')
    .select('media_id')
    .where('run_id', '=', runId)
    .limit(itemsAtOnce)
    .execute()
  const ids = items.map(({ media_id }) => media_id)
  if (ids.length === 0) return false
  await lockMedia(db, ids)
  await db.deleteFrom('ai_run_items').where('run_id', '=', runId).where('media_id', 'in', ids).execute()
  return true
}
