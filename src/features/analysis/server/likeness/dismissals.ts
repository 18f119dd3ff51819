import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { announceMedia } from '#features/media/server/announce.ts'
import { loadOwnedMediaList, lockMedia } from '#features/media/server/store.ts'
import { AppError } from '#platform/errors.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import type { Events } from '#platform/server/events/events.ts'
import { countOf } from '#shared/count.ts'
import type { DifferentMedia } from '../../contract.ts'
import { deleteDismissal, insertDismissal, type Pair } from './dismissals-store.ts'

type Services = { db: Kysely<Tables>; events: Events }

/** The user's decision overrides the hashes: marked items stay different until it is undone. */
export async function dismissDuplicates({ db, events }: Services, ownerId: number, said: DifferentMedia) {
  const ids = [...new Set(said.mediaIds)].sort((a, b) => a - b)
  const owned = await loadOwnedMediaList(db, ownerId, ids)
  const id = randomUUID()
  const added = await db.transaction().execute(async (transaction) => {
    // Locked, so that no item can be deleted before the pairs are written.
    const there = await lockMedia(
      transaction,
      owned.map((media) => media.id),
    )
    if (there.length < ids.length) throw itemsGone()
    return insertDismissal(transaction, { id, ownerId, pairs: pairsOf(ids, said.differentId) })
  })
  await announceMedia(events, ownerId, ids)
  return {
    message: sentenceFor(ids.length, said.differentId !== undefined),
    dismissalId: added > 0 ? id : null,
  }
}

export async function undoDismissal({ db, events }: Services, ownerId: number, id: string) {
  const ids = await deleteDismissal(db, ownerId, id)
  if (ids.length === 0) throw nothingToUndo()
  await announceMedia(events, ownerId, ids)
  return { message: `${countOf(ids.length, 'item')} can be listed as duplicates again.` }
}

/** Pairs all ids with each other, or one with all others. */
function pairsOf(ids: number[], differentId: number | undefined): Pair[] {
  const all = ids.flatMap((a, index) => ids.slice(index + 1).map((b): Pair => [a, b]))
  return differentId === undefined ? all : all.filter((pair) => pair.includes(differentId))
}

const sentenceFor = (count: number, isOnlyOne: boolean) =>
  isOnlyOne
    ? 'It is no longer shown as a duplicate of the others.'
    : `These ${count} items are no longer shown as duplicates of each other.`

const itemsGone = () =>
  new AppError('not-found', 404, 'Some of these items are no longer in your library. Please reload the list.')

const nothingToUndo = () =>
  new AppError('not-found', 404, 'Nothing to undo: it was already undone, or the items no longer exist.')
