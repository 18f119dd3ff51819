import type { Kysely } from 'kysely'
import { deleteMembership } from '#features/collections/server/store.ts'
import { stayInLibrary } from '#features/media/server/library-pause.ts'
import { indexMedia } from '#features/media/server/listing/search-documents.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { holdMedia, updateMedia } from '#features/media/server/store.ts'
import { conflict } from '#platform/errors.ts'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { countOf } from '#shared/count.ts'
import { sortKey } from '#shared/fold.ts'
import { type ChangeRow, listChangedItems, loadOwnedChange, markUndone, removeChangedItems } from './history-store.ts'

type Item = Row<'change_items'>
/** Says whether the item could be put back; false when it was changed since. */
type Undo = (db: Db, item: Item) => Promise<boolean>

const batch = 200

/** [Note: Undo never overwrites] A value is put back only where it is still the one that the change wrote. */
export async function undoChange(db: Kysely<Tables>, ownerId: number, changeId: number) {
  const inLibrary = await stayInLibrary(db)
  const change = await loadOwnedChange(db, ownerId, changeId)
  if (change.undone_at !== null) throw alreadyUndone()
  const undone: number[] = []
  let kept = 0
  for (;;) {
    const items = await listChangedItems(db, changeId, batch)
    if (items.length === 0) break
    const done = await inLibrary((transaction) => undoBatch(transaction, change, items))
    undone.push(...done)
    kept += items.length - done.length
  }
  // Last, so that one that was cut off can be asked for again, and goes on where it was.
  if (!(await markUndone(db, changeId))) throw alreadyUndone()
  return { undone, kept, message: outcomeInWords(undone.length, kept) }
}

const alreadyUndone = () => conflict('This change has already been undone.')

async function undoBatch(db: Db, { id, kind }: Owned<ChangeRow>, items: Item[]) {
  const ids = items.map(({ media_id }) => media_id)
  await holdMedia(db, ids)
  const done: number[] = []
  for (const item of items) if (await undoers[kind](db, item)) done.push(item.media_id)
  await indexMedia(db, done)
  await removeChangedItems(db, id, ids)
  return done
}

const undoers: Record<ChangeRow['kind'], Undo> = {
  async rename(db, { media_id, before_value, after_value }) {
    const media = await loadNow(db, media_id)
    if (media?.filename !== after_value || before_value === null) return false
    await updateMedia(db, media_id, { filename: before_value, name_key: sortKey(before_value) })
    return true
  },
  async description(db, { media_id, before_value, after_value }) {
    const media = await loadNow(db, media_id)
    if (!media || media.user_description !== after_value) return false
    await updateMedia(db, media_id, { user_description: before_value })
    return true
  },
  async tags(db, { media_id, after_value }) {
    const added = JSON.parse(after_value ?? '[]') as string[]
    const { numDeletedRows } = await db
      .deleteFrom('media_tags')
      .where('media_id', '=', media_id)
      .where('tag', 'in', added)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },
  async membership(db, { media_id, after_value }) {
    return deleteMembership(db, Number(after_value), media_id)
  },
}

async function loadNow(db: Db, mediaId: number) {
  return db.selectFrom('media').select(['filename', 'user_description']).where('id', '=', mediaId).executeTakeFirst()
}

function outcomeInWords(undone: number, kept: number) {
  const restored = `${countOf(undone, 'item')} restored.`
  return kept > 0 ? `${restored} ${countOf(kept, 'item')} changed since and left as they are.` : restored
}
