import type { Kysely } from 'kysely'
import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { holdMedia } from '#features/media/server/store.ts'
import { notFound } from '#platform/errors.ts'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import type { Change } from '../contract.ts'

export type ChangeRow = Row<'changes'>
export type ChangedItem = { mediaId: number; before: string | null; after: string | null }

export async function insertChange(db: Db, change: { ownerId: number; kind: ChangeRow['kind']; title: string }) {
  return db
    .insertInto('changes')
    .values({ owner_id: change.ownerId, kind: change.kind, title: change.title, item_count: 0, created_at: Date.now() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function insertChangedItems(db: Db, changeId: number, items: ChangedItem[]) {
  if (items.length === 0) return
  await db
    .insertInto('change_items')
    .values(
      items.map(({ mediaId, before, after }) => ({
        change_id: changeId,
        media_id: mediaId,
        before_value: before,
        after_value: after,
      })),
    )
    .execute()
  await db
    .updateTable('changes')
    .set((set) => ({ item_count: set('item_count', '+', items.length) }))
    .where('id', '=', changeId)
    .execute()
}

export async function loadOwnedChange(db: Db, ownerId: number, id: number): Promise<Owned<ChangeRow>> {
  const change = await db
    .selectFrom('changes')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (!change) throw notFound('Change')
  return asOwned(change)
}

export async function listChanges(db: Db, ownerId: number, limit: number): Promise<Change[]> {
  const rows = await db
    .selectFrom('changes')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toChange)
}

export function toChange({ id, kind, title, item_count, created_at, undone_at }: ChangeRow): Change {
  return {
    id,
    kind,
    title,
    itemCount: item_count,
    createdAt: new Date(created_at).toISOString(),
    undoneAt: undone_at === null ? null : new Date(undone_at).toISOString(),
  }
}

export async function listChangedItems(db: Db, changeId: number, limit: number) {
  return db
    .selectFrom('change_items')
    .selectAll()
    .where('change_id', '=', changeId)
    .orderBy('media_id')
    .limit(limit)
    .execute()
}

/** What is undone, or was changed since, needs no way back any more. Gives those that nobody else has taken. */
export async function takeChangedItems(db: Db, changeId: number, mediaIds: number[]) {
  return db
    .deleteFrom('change_items')
    .where('change_id', '=', changeId)
    .where('media_id', 'in', mediaIds)
    .returningAll()
    .execute()
}

/** Whether it can still be undone, which stays so until the transaction ends: of two who undo at once, one wins. */
export async function holdUndoable(db: Db, changeId: number): Promise<boolean> {
  const change = db.selectFrom('changes').select('id').where('id', '=', changeId).where('undone_at', 'is', null)
  return (await dialectOf(db).holdRows(change).executeTakeFirst()) !== undefined
}

export async function markUndone(db: Db, changeId: number) {
  await db.updateTable('changes').set({ undone_at: Date.now() }).where('id', '=', changeId).execute()
}

export const historyMs = 30 * 24 * 3600_000
const batch = 500

export async function removeOldChanges(db: Kysely<Tables>) {
  const old = Date.now() - historyMs
  for (let isMore = true; isMore; ) {
    isMore = await db.transaction().execute((transaction) => removeOldItems(transaction, old))
  }
  await db.deleteFrom('changes').where('created_at', '<', old).execute()
}

/** Whoever deletes these items at the same moment takes away the same rows; see [Note: Items are held first]. */
async function removeOldItems(db: Db, old: number) {
  const items = await db
    .selectFrom('change_items')
    .innerJoin('changes', 'changes.id', 'change_id')
    .select(['change_id', 'media_id'])
    .where('created_at', '<', old)
    .limit(batch)
    .execute()
  await holdMedia(db, [...new Set(items.map(({ media_id }) => media_id))])
  for (const [changeId, some] of Map.groupBy(items, ({ change_id }) => change_id)) {
    const ids = some.map(({ media_id }) => media_id)
    await takeChangedItems(db, changeId, ids)
  }
  return items.length > 0
}
