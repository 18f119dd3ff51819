import { sql } from 'kysely'
import { dialectOf } from '#platform/server/db/dialect.ts'
import type { SearchQuestion } from '#platform/server/db/sql-dialect.ts'
import type { Db } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'

/**
 * [Note: Bounded ranking]
 * Ranking every match of a common word costs more the larger the library is. So the newest matches are ranked (those by
 * name or tag before those by description), the rest follow newest first, and no more than `countedMatches` are counted.
 */
const rankedMatches = 200
const countedMatches = 10_000
/** Words that rarely meet are dear to count: with so many matches among the newest items, older ones are not counted. */
const countedItems = 100_000
const enoughMatches = 500

export type Matches = { ids: number[]; total: number; isCapped: boolean }

export async function findMatches(db: Db, ownerId: number, words: string[], query: MediaQuery): Promise<Matches> {
  const index = dialectOf(db).search
  const question: SearchQuestion = {
    ownerId,
    words,
    isTrashed: query.trashed === true,
    filter: { type: query.type, isFavorite: query.favorite, collectionId: query.collectionId },
  }
  const bounds = { newest: rankedMatches, counted: countedMatches, items: countedItems }
  const { newestIds, namedIds, counted, isCountWhole } = await index.survey(db, question, bounds)
  const offset = (query.page - 1) * query.limit
  const { total, isCapped } = await count()
  if (offset >= total) return { ids: [], total, isCapped }
  const limit = Math.min(query.limit, total - offset)
  return { ids: await page(), total, isCapped }

  async function count() {
    if (newestIds.length < rankedMatches) return { total: newestIds.length, isCapped: false }
    const isEnough = isCountWhole || counted === countedMatches || (counted >= enoughMatches && !orderOf(query))
    if (isEnough) return { total: counted, isCapped: counted === countedMatches || !isCountWhole }
    const all = await index.countUpTo(db, question, countedMatches)
    return { total: all, isCapped: all === countedMatches }
  }

  async function page() {
    const by = orderOf(query)
    if (by) return index.findIds(db, question, { offset, limit, order: { by, among: countedMatches } })
    const first = (query.sort === 'recent' ? newestIds : ranked()).slice(offset, offset + limit)
    if (first.length === limit) return first
    const rest = { offset: offset + first.length, limit: limit - first.length }
    return [...first, ...(await index.findIds(db, question, rest))]
  }

  function ranked() {
    return [...newestIds.filter((id) => namedIds.has(id)), ...newestIds.filter((id) => !namedIds.has(id))]
  }
}

const orders = {
  name: sql`name_key, id`,
  size: sql`size DESC, id DESC`,
  type: sql`mime_type, created_at DESC, id DESC`,
}

/** Newest first is the order in which matches are found; any other needs all of them. What matches has no manual order. */
function orderOf({ sort }: MediaQuery) {
  return sort === undefined || sort === 'recent' || sort === 'manual' ? undefined : orders[sort]
}
