import { asOwned, type Owned } from '#features/media/server/owned.ts'
import { notFound } from '#platform/errors.ts'
import type { Db, Row } from '#platform/server/db/tables.ts'
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

export async function listChanges(db: Db, ownerId: number): Promise<Change[]> {
  const rows = await db
    .selectFrom('changes')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
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

/** What is undone, or was changed since, needs no way back any more. */
export async function removeChangedItems(db: Db, changeId: number, mediaIds: number[]) {
  await db.deleteFrom('change_items').where('change_id', '=', changeId).where('media_id', 'in', mediaIds).execute()
}

/** Of two who undo at once, one wins. */
export async function markUndone(db: Db, changeId: number) {
  const { numUpdatedRows } = await db
    .updateTable('changes')
    .set({ undone_at: Date.now() })
    .where('id', '=', changeId)
    .where('undone_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const keptMs = 30 * 24 * 3600_000

export async function removeOldChanges(db: Db) {
  await db
    .deleteFrom('changes')
    .where('created_at', '<', Date.now() - keptMs)
    .execute()
  await db
    .deleteFrom('bulk_runs')
    .where('updated_at', '<', Date.now() - keptMs)
    .execute()
}
