import type { Kysely } from 'kysely'
import { conflict } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import {
  findRunByKey,
  holdRun,
  insertEndedItems,
  insertEndedRun,
  listItems,
  type Run,
  type RunItem,
} from '#platform/server/runs/runs-store.ts'
import { indexMedia } from './listing/search-documents.ts'
import type { Owned } from './owned.ts'
import { lockMedia } from './store.ts'

/**
 * [Note: History]
 * A bulk change is a run that has ended: each of its items has the previous value as input and the new value as output. Both
 * are written in the transaction that changes the item, so that undo is exact.
 */
export type ChangedItem = { mediaId: number; before: string | null; after: string | null }

/** How long changes can be undone. */
export const historyMs = 30 * 24 * 3600_000

export async function recordChangedItems(transaction: Db, run: Run, items: ChangedItem[]) {
  const rows = items.map(({ mediaId, before, after }) => ({ mediaId, input: before, output: after }))
  await insertEndedItems(transaction, run.id, rows)
}

type NewChange = { ownerId: number; kind: string; title: string; key?: string; options?: unknown }

/**
 * Adds items to the change with this key, or to a new one. Items that are recorded after the change was undone belong to a
 * new change, which takes over the key.
 */
export async function recordInChange(transaction: Db, wanted: NewChange, items: ChangedItem[]) {
  const known = wanted.key === undefined ? undefined : await findRunByKey(transaction, wanted.key)
  const open = known && (await lockIfNotUndone(transaction, known))
  if (known && !open) await transaction.updateTable('runs').set({ key: null }).where('id', '=', known.id).execute()
  const change = open ?? (await insertEndedRun(transaction, wanted))
  await recordChangedItems(transaction, change, items)
  return change
}

/** Locked until the transaction ends, so that a change still in progress adds nothing to a run that was undone meanwhile. */
export async function lockIfNotUndone(transaction: Db, run: Run) {
  const now = await holdRun(transaction, run.id)
  return now?.undone_at === null ? now : undefined
}

/** Restores the previous values. Returns the ids of items that still had the new value. */
export type PutBack = (transaction: Db, items: RunItem[]) => Promise<number[]>

type Undo = {
  putBack: (run: Run) => PutBack
  alreadyUndone: string
  itemsAtOnce?: number
  /** Other items that change too; see [Note: Items are locked first]. */
  alsoLocked?: (items: RunItem[]) => number[]
}

/**
 * [Note: Undo never overwrites]
 * A value is restored only if it is still the one that the change wrote. Undo works in batches, and the change counts as
 * undone after the last one, so an interrupted undo can be repeated.
 */
export async function undoChange(
  db: Kysely<Tables>,
  run: Owned<Run>,
  { putBack, alreadyUndone, itemsAtOnce = 200, alsoLocked = () => [] }: Undo,
) {
  if (run.undone_at !== null) throw conflict(alreadyUndone)
  const undone: number[] = []
  let kept = 0
  for (;;) {
    const listed = await listItems(db, run.id, { state: 'done', limit: itemsAtOnce })
    const part = await db.transaction().execute(async (transaction) => {
      await lockMedia(transaction, [...listed.map(mediaIdOf), ...alsoLocked(listed)])
      const items = await takeItems(transaction, listed)
      const done = items.length > 0 ? await putBack(run)(transaction, items) : []
      await indexMedia(transaction, done)
      return { done, kept: items.length - done.length, state: await endIfAllUndone(transaction, run) }
    })
    undone.push(...part.done)
    kept += part.kept
    // A concurrent request undid the same change, partly or completely.
    if (part.state === 'undone-before' && undone.length + kept === 0) throw conflict(alreadyUndone)
    if (part.state !== 'unfinished') return { undone, kept }
  }
}

/** The items that no other request has undone yet. */
async function takeItems(transaction: Db, items: RunItem[]): Promise<RunItem[]> {
  if (items.length === 0) return []
  return transaction
    .updateTable('run_items')
    .set({ state: 'undone' })
    .where('run_id', '=', items[0]!.run_id)
    .where(
      'position',
      'in',
      items.map(({ position }) => position),
    )
    .where('state', '=', 'done')
    .returningAll()
    .execute()
}

async function endIfAllUndone(transaction: Db, run: Run) {
  if (!(await lockIfNotUndone(transaction, run))) return 'undone-before'
  if ((await listItems(transaction, run.id, { state: 'done', limit: 1 })).length > 0) return 'unfinished'
  await transaction.updateTable('runs').set({ undone_at: Date.now() }).where('id', '=', run.id).execute()
  return 'undone'
}

export const mediaIdOf = ({ media_id }: RunItem) => media_id!
