import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'

/** The lower id first. */
export type Pair = readonly [number, number]

type Dismissal = { id: string; ownerId: number; pairs: Pair[] }

/** Returns the number of pairs that are new. */
export async function insertDismissal(db: Db, { id, ownerId, pairs }: Dismissal): Promise<number> {
  const now = Date.now()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('different_media')
    .values(pairs.map(([a, b]) => ({ media_a: a, media_b: b, owner_id: ownerId, dismissal: id, created_at: now })))
    .onConflict((conflict) => conflict.columns(['media_a', 'media_b']).doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0)
}

/** Returns the items whose pairs were deleted. */
export async function deleteDismissal(db: Db, ownerId: number, id: string): Promise<number[]> {
  const rows = await db
    .deleteFrom('different_media')
    .where('dismissal', '=', id)
    .where('owner_id', '=', ownerId)
    .returning(['media_a', 'media_b'])
    .execute()
  return [...new Set(rows.flatMap(({ media_a, media_b }) => [media_a, media_b]))]
}

/** All pairs of a library, as `id:id` separated by spaces. */
export async function listDifferent(db: Db, ownerId: number): Promise<string> {
  const { pairs } = await db
    .selectFrom('different_media')
    .select(sql<string | null>`string_agg(media_a || ':' || media_b, ' ')`.as('pairs'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return pairs ?? ''
}

/** Returns a function that tells whether two of the given items were marked as different. */
export async function loadDifferent(db: Db, ids: number[]) {
  const rows = await db
    .selectFrom('different_media')
    .select(['media_a', 'media_b'])
    .where('media_a', 'in', ids)
    .where('media_b', 'in', ids)
    .execute()
  const pairs = new Set(rows.map(({ media_a, media_b }) => `${media_a}:${media_b}`))
  return (one: number, other: number) => pairs.has(`${Math.min(one, other)}:${Math.max(one, other)}`)
}

/** A cache key that changes with every dismissal and undo. */
export async function describeDismissals(db: Db, ownerId: number): Promise<string> {
  const { pairs, newest } = await db
    .selectFrom('different_media')
    .select((select) => [select.fn.countAll<number>().as('pairs'), select.fn.max('created_at').as('newest')])
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return `${pairs} ${newest}`
}
