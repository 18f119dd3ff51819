import type { Kysely } from 'kysely'
import { type ItemError, missingMedia, type Outcome } from '#features/media/server/not-found.ts'
import type { Owned } from '#features/media/server/owned.ts'
import { loadOwnedMedia, lockOwnedMedia } from '#features/media/server/store.ts'
import type { MediaRow } from '#features/media/server/to-media.ts'
import { AppError } from '#platform/errors.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { chunksOf } from '#shared/chunks.ts'
import type { BulkOutcome } from '../contract.ts'

/** Each progress event is awaited, as two events in flight could arrive in the wrong order. */
type Progress = (done: number, total: number) => Promise<void>
export type Batches = { ownerId: number; mediaIds: number[]; onProgress?: Progress }

/** Items per transaction: few enough that other writers do not wait long. */
const batch = 200
/** With one transaction per item, an event for each to every open page would cost more than the work itself. */
const itemsPerEvent = 50

/**
 * Changes items in the selected order. A missing item or another user's item fails alone; each batch is written in one
 * transaction.
 */
export async function changeInBatches(
  db: Kysely<Tables>,
  { ownerId, mediaIds, onProgress }: Batches,
  change: (transaction: Db, media: Owned<MediaRow>[]) => Promise<void>,
): Promise<Outcome> {
  const wanted = [...new Set(mediaIds)]
  const changed: number[] = []
  const errors: ItemError[] = []
  for (const ids of chunksOf(wanted, batch)) {
    const found = await db.transaction().execute(async (transaction) => {
      const media = inOrder(await lockOwnedMedia(transaction, ownerId, ids), ids)
      if (media.length > 0) await change(transaction, media)
      return media.map(({ id }) => id)
    })
    changed.push(...found)
    errors.push(...missing(ids, found))
    await onProgress?.(changed.length + errors.length, wanted.length)
  }
  return { changed, errors }
}

/** Changes one item at a time in its own transaction. A failed item is counted, and the rest continue. */
export async function changeOneByOne(
  db: Kysely<Tables>,
  { ownerId, mediaIds, onProgress }: Batches,
  change: (transaction: Db, media: Owned<MediaRow>) => Promise<void>,
): Promise<Outcome> {
  const wanted = [...new Set(mediaIds)]
  const changed: number[] = []
  const errors: ItemError[] = []
  for (const [index, id] of wanted.entries()) {
    const changing = db
      .transaction()
      .execute(async (transaction) => change(transaction, await loadOwnedMedia(transaction, ownerId, id)))
    const error = await failureOf(changing)
    if (error) errors.push({ id, message: error })
    else changed.push(id)
    const done = index + 1
    if (done % itemsPerEvent === 0 || done === wanted.length) await onProgress?.(done, wanted.length)
  }
  return { changed, errors }
}

/** The message for an expected failure. An unexpected error is not shown to users and ends the run. */
async function failureOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work
    return null
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

function inOrder(rows: Owned<MediaRow>[], ids: number[]) {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

function missing(ids: number[], found: number[]): ItemError[] {
  const there = new Set(found)
  return ids.filter((id) => !there.has(id)).map(missingMedia)
}

export function answerOf({ changed, errors }: Outcome, message: string, changeId?: number): BulkOutcome {
  return { message, summary: { successful: changed.length, failed: errors.length }, errors, changeId }
}
