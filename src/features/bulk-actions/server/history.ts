import type { Kysely } from 'kysely'
import { deleteMemberships, type Place, restoreMemberships } from '#features/collections/server/store.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { holdMedia, updateManyMedia, updateNames } from '#features/media/server/store.ts'
import { deleteTags, rememberRemoved } from '#features/media/server/tags.ts'
import { conflict } from '#platform/errors.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { countOf } from '#shared/count.ts'
import {
  type ChangeRow,
  holdUndoable,
  listChangedItems,
  loadOwnedChange,
  markUndone,
  takeChangedItems,
} from './history-store.ts'

type Item = Row<'change_items'>
/** Gives back those that could be put back, and leaves what was changed since. */
type Undo = (db: Db, items: Item[]) => Promise<number[]>

const batch = 200

/** [Note: Undo never overwrites] A value is put back only where it is still the one that the change wrote. */
export async function undoChange(db: Kysely<Tables>, ownerId: number, changeId: number) {
  const change = await loadOwnedChange(db, ownerId, changeId)
  if (change.undone_at !== null) throw alreadyUndone()
  const undone: number[] = []
  let kept = 0
  for (;;) {
    const items = await listChangedItems(db, changeId, batch)
    const part = await db.transaction().execute((transaction) => undoBatch(transaction, change, items))
    undone.push(...part.done)
    kept += part.kept
    // Whoever asked at the same moment has done the rest, or all of it.
    if (part.state === 'undone-before' && undone.length + kept === 0) throw alreadyUndone()
    if (part.state !== 'unfinished') break
  }
  return { undone, kept, message: outcomeInWords(undone.length, kept) }
}

const alreadyUndone = () => conflict('This change has already been undone.')

/** With the last part the change is undone: one that was cut off can be asked for again, and goes on where it was. */
async function undoBatch(db: Db, { id, kind }: Owned<ChangeRow>, listed: Item[]) {
  const ids = listed.map(({ media_id }) => media_id)
  await holdMedia(db, ids)
  const items = ids.length > 0 ? await takeChangedItems(db, id, ids) : []
  const done = items.length > 0 ? await undoers[kind](db, items) : []
  await indexMedia(db, done)
  return { done, kept: items.length - done.length, state: await endIfAllUndone(db, id) }
}

/** What still goes on may have changed more. */
async function endIfAllUndone(db: Db, changeId: number) {
  if (!(await holdUndoable(db, changeId))) return 'undone-before'
  if ((await listChangedItems(db, changeId, 1)).length > 0) return 'unfinished'
  await markUndone(db, changeId)
  return 'undone'
}

const undoers: Record<ChangeRow['kind'], Undo> = {
  async rename(db, items) {
    const now = await loadNow(db, items)
    const unchanged = items.filter(({ media_id, after_value }) => now.get(media_id)?.filename === after_value)
    await updateNames(
      db,
      unchanged.map(({ media_id, before_value }) => ({ id: media_id, filename: before_value! })),
    )
    return unchanged.map(({ media_id }) => media_id)
  },
  async description(db, items) {
    const now = await loadNow(db, items)
    const unchanged = items.filter(({ media_id, after_value }) => now.get(media_id)?.user_description === after_value)
    // Most had none.
    for (const [before, some] of Map.groupBy(unchanged, ({ before_value }) => before_value)) {
      const ids = some.map(({ media_id }) => media_id)
      await updateManyMedia(db, ids, { user_description: before })
    }
    return unchanged.map(({ media_id }) => media_id)
  },
  async tags(db, items) {
    const gone: Row<'removed_tags'>[] = []
    // Most got the same ones.
    for (const [added, some] of Map.groupBy(items, ({ after_value }) => after_value ?? '[]')) {
      const ids = some.map(({ media_id }) => media_id)
      gone.push(...(await deleteTags(db, ids, JSON.parse(added))))
    }
    // What a person had taken off before stays off: no model brings it back.
    const removedBefore = new Map(
      items.map((item) => [item.media_id, JSON.parse(item.before_value ?? '[]') as string[]]),
    )
    await rememberRemoved(
      db,
      gone.filter(({ media_id, tag }) => removedBefore.get(media_id)!.includes(tag)),
    )
    const ids = [...new Set(gone.map(({ media_id }) => media_id))]
    await updateManyMedia(db, ids, {})
    return ids
  },
  async membership(db, items) {
    const done: number[] = []
    const [removed, added] = [items.filter(isRemoved), items.filter((item) => !isRemoved(item))]
    for (const [collectionId, some] of Map.groupBy(added, ({ after_value }) => Number(after_value))) {
      const ids = some.map(({ media_id }) => media_id)
      done.push(...(await deleteMemberships(db, collectionId, ids)).map(({ media_id }) => media_id))
    }
    const places = removed.map(({ before_value }): Place => JSON.parse(before_value!))
    for (const [collectionId, some] of Map.groupBy(places, ({ collection_id }) => collection_id)) {
      done.push(...(await restoreMemberships(db, collectionId, some)))
    }
    return done
  },
}

/** Out of a collection: before it has its place there, and after it has none. */
const isRemoved = ({ after_value }: Item) => after_value === null

async function loadNow(db: Db, items: Item[]) {
  const ids = items.map(({ media_id }) => media_id)
  const rows = await db
    .selectFrom('media')
    .select(['id', 'filename', 'user_description'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

function outcomeInWords(undone: number, kept: number) {
  const restored = `${countOf(undone, 'item')} restored.`
  return kept > 0 ? `${restored} ${countOf(kept, 'item was', 'items were')} changed since and left alone.` : restored
}
