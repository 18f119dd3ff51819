import { type Kysely, sql } from 'kysely'
import type { Owned } from '#features/media/server/owned.ts'
import { lockMedia } from '#features/media/server/store.ts'
import { notFound } from '#platform/errors.ts'
import { partsToAsk } from '#platform/server/db/parts-to-ask.ts'
import type { Db, Tables } from '#platform/server/db/tables.ts'
import { type CollectionRow, holdForMembers } from './store.ts'

type Move = { mediaIds: number[]; beforeId: number | null }

/**
 * [Note: Order by position] A moved item gets a position between its new neighbors, so that moving one of ten thousand
 * writes one row; the whole collection is renumbered only when no number is left between them.
 */
export async function arrangeMedia(db: Kysely<Tables>, collection: Owned<CollectionRow>, move: Move) {
  return db.transaction().execute(async (transaction) => {
    // Moves are serialized: each one starts from the order that the previous one left.
    await lockMedia(transaction, move.mediaIds)
    await holdForMembers(transaction, collection.id)
    const present = await listPositions(transaction, collection.id)
    const positions = new Map(present.map(({ media_id, position }) => [media_id, position]))
    // Items that have just left the collection are skipped; the others are still moved.
    const movedIds = new Set(move.mediaIds.filter((id) => positions.has(id)))
    const isKnown = movedIds.size > 0 && (move.beforeId === null || positions.has(move.beforeId))
    if (!isKnown) throw notFound('Media')
    const moved = [...movedIds]
    const rest = present.filter(({ media_id }) => !movedIds.has(media_id)).map(({ media_id }) => media_id)
    const at = move.beforeId === null ? rest.length : rest.indexOf(move.beforeId)
    // Moved before itself: it stays where it is.
    if (at === -1) return present.map(({ media_id }) => media_id)

    const after = at > 0 ? positions.get(rest[at - 1]!)! : undefined
    const before = at < rest.length ? positions.get(rest[at]!)! : undefined
    const newPositions = positionsBetween(after, before, moved.length)
    const order = rest.toSpliced(at, 0, ...moved)
    const numbered = newPositions
      ? moved.map((id, index) => [id, newPositions[index]!] as const)
      : order.map((id, index) => [id, index + 1] as const)
    await setPositions(transaction, collection.id, numbered)
    return order
  })
}

/** Evenly spaced between the neighbors; null when floating point has no numbers left there. */
export function positionsBetween(
  after: number | undefined,
  before: number | undefined,
  count: number,
): number[] | null {
  const start = after ?? (before ?? 0) - count - 1
  const end = before ?? start + count + 1
  const step = (end - start) / (count + 1)
  const positions = Array.from({ length: count }, (_, index) => start + step * (index + 1))
  const all = [start, ...positions, end]
  return all.every((position, index) => index === 0 || position > all[index - 1]!) ? positions : null
}

function listPositions(db: Db, collectionId: number) {
  return db
    .selectFrom('collection_media')
    .select(['media_id', 'position'])
    .where('collection_id', '=', collectionId)
    .orderBy('position')
    .orderBy('media_id')
    .execute()
}

async function setPositions(db: Db, collectionId: number, positions: (readonly [id: number, position: number])[]) {
  for (const part of partsToAsk(positions)) {
    // PostgreSQL infers text for parameters in a VALUES list.
    const rows = part.map(([id, position]) => sql`(CAST(${id} AS BIGINT), CAST(${position} AS DOUBLE PRECISION))`)
    await sql`
      UPDATE collection_media SET position = moved.column2 FROM (VALUES ${sql.join(rows)}) AS moved
      WHERE collection_id = ${collectionId} AND media_id = moved.column1`.execute(db)
  }
}
