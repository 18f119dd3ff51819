import { type Kysely, sql } from 'kysely'
import { loadStorage } from '#features/auth/server/store.ts'
import type { Tables } from '#platform/server/db/tables.ts'
import { describeDismissals } from './dismissals-store.ts'

const maxRepeated = 1000

/** A cheap cache key that changes with every upload, deletion, move to the trash and dismissal. */
export async function describeLibrary(db: Kysely<Tables>, ownerId: number) {
  const { media_count, trashed_count } = await loadStorage(db, ownerId)
  const newest = await db
    .selectFrom('media')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return [ownerId, media_count, trashed_count, newest?.id, await describeDismissals(db, ownerId)].join()
}

/** Reads from an index, one string per first digit: hundreds of thousands of rows would block the event loop. */
export async function listHashes(db: Kysely<Tables>, ownerId: number): Promise<string[]> {
  const pieces: string[] = []
  for (const [index, digit] of firstDigits.entries()) {
    const { entries } = await db
      .selectFrom('media')
      .select(sql<string | null>`string_agg(id || ':' || perceptual_hash, ' ')`.as('entries'))
      .where('owner_id', '=', ownerId)
      .where('is_trashed', '=', 0)
      .where('type', '=', 'image')
      .where('perceptual_hash', '>=', digit)
      .where('perceptual_hash', '<', firstDigits[index + 1] ?? 'g')
      .executeTakeFirstOrThrow()
    if (entries) pieces.push(entries)
  }
  return pieces
}

const firstDigits = [...'0123456789abcdef']

/** Identical bytes have the same size, and sizes can be counted from an index. */
export async function listSameBytes(db: Kysely<Tables>, ownerId: number): Promise<string[]> {
  const own = db.selectFrom('media').where('owner_id', '=', ownerId).where('is_trashed', '=', 0)
  const repeatedSizes = own
    .select('size')
    .groupBy('size')
    .having((having) => having.fn.countAll(), '>', 1)
  const rows = await own
    .select(sql<string>`string_agg(cast(id AS text), ' ')`.as('ids'))
    .where('size', 'in', repeatedSizes)
    .groupBy('blob')
    // Copies of one item have its bytes, but are versions and not duplicates.
    .having(sql`count(DISTINCT coalesce(derived_from, id))`, '>', 1)
    .limit(maxRepeated)
    .execute()
  return rows.map(({ ids }) => ids)
}

/** The items that were derived from others, with the first version of each. */
export async function listVersions(db: Kysely<Tables>, ownerId: number): Promise<string> {
  const { pairs } = await db
    .selectFrom('media')
    .select(sql<string | null>`string_agg(id || ':' || derived_from, ' ')`.as('pairs'))
    .where('owner_id', '=', ownerId)
    .where('is_trashed', '=', 0)
    .where('derived_from', 'is not', null)
    .executeTakeFirstOrThrow()
  return pairs ?? ''
}
