import { sql } from 'kysely'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { SearchQuery } from '#platform/server/db/sql-dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../contract.ts'

/**
 * [Note: Bounded ranking]
 * Ranking every match of a common word costs more the larger the library is. So the newest matches are ranked (those by
 * name or tag before those by description), the rest follow newest first, and no more than `countedMatches` are counted.
 */
const rankedMatches = 500
const countedMatches = 10_000

export type Matches = { ids: number[]; total: number; isCapped: boolean }

export async function findMatches(db: Db, ownerId: number, words: string[], query: MediaQuery): Promise<Matches> {
  const index = dialectOf(db).search
  const base: SearchQuery = {
    ownerId,
    words,
    isTrashed: query.trashed === true,
    limit: rankedMatches,
    filter: { type: query.type, isFavorite: query.favorite, collectionId: query.collectionId },
  }
  const newest = await index.findIds(db, base)
  const isAll = newest.length < rankedMatches
  const total = isAll ? newest.length : await index.countUpTo(db, { ...base, limit: countedMatches })
  const isCapped = total === countedMatches
  const offset = (query.page - 1) * query.limit
  if (offset >= rankedMatches)
    return { ids: await index.findIds(db, { ...base, offset, limit: query.limit }), total, isCapped }
  const ids = query.sort && query.sort !== 'recent' ? await sorted(db, newest, query) : await ranked()
  return { ids: ids.slice(offset, offset + query.limit), total, isCapped }

  async function ranked() {
    if (query.sort === 'recent') return newest
    const byName = new Set(await index.findIds(db, { ...base, isNameOnly: true }))
    const first = newest.filter((id) => byName.has(id))
    return [...first, ...newest.filter((id) => !byName.has(id))]
  }
}

const orders = {
  name: sql`name_key, id`,
  size: sql`size DESC, id DESC`,
  type: sql`mime_type, created_at DESC, id DESC`,
}

async function sorted(db: Db, ids: number[], { sort }: MediaQuery) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('media')
    .select('id')
    .where('id', 'in', ids)
    .orderBy(orders[sort as keyof typeof orders])
    .execute()
  return rows.map(({ id }) => id)
}
