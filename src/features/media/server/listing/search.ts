import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import type { CountQuery, MediaQuery } from '../../contract.ts'
import { searchIndexOf } from './index-of-database.ts'
import { usualDirections } from './list-queries.ts'
import { hasParts, type Matching, type SearchQuery, type SearchTerms } from './search-index.ts'
import { clauseOf } from './search-marks.ts'

/**
 * [Note: Bounded ranking]
 * Ranking all matches of a common word gets slower as the library grows. So only the newest matches at the beginnings of
 * words are ranked: by name or tag before description, and whole words before beginnings. The other ones follow newest
 * first, and after them the matches inside of words.
 */
const rankedMatches = 200
/** A page of results does not wait until more matches are counted. */
const countedMatches = 10_000
/**
 * Counting a combination of rare words is slow, so with this many of the newest items matching, older items are not counted.
 */
const countedItems = 100_000
const enoughMatches = 500

export type Matches = { ids: number[]; total: number; isCapped: boolean }

/** A search in a list, which may be narrowed by type and favorites; `terms` are those of its collection too. */
export function toSearchQuery(ownerId: number, terms: SearchTerms, query: CountQuery): SearchQuery {
  const marks = [...terms.marks]
  const add = (name: 'type' | 'is', value: string) => marks.push(clauseOf({ name, value, isExcluded: false })!)
  if (query.type) add('type', query.type)
  if (query.favorite) add('is', 'favorite')
  return { ...terms, ownerId, marks, isTrashed: query.trashed === true }
}

/** The exact number of matches, however many they are. */
export const countMatches = (db: Db, ownerId: number, terms: SearchTerms, query: CountQuery) =>
  searchIndexOf(db).count(db, toSearchQuery(ownerId, terms, query))

export async function findMatches(db: Db, ownerId: number, terms: SearchTerms, query: MediaQuery): Promise<Matches> {
  const index = searchIndexOf(db)
  const wanted = toSearchQuery(ownerId, terms, query)
  const { words } = terms
  const order = orderOf(query)
  const offset = (query.page - 1) * query.limit
  const limits = { counted: countedMatches, items: countedItems }
  const { newestIds, namedIds, wholeIds, counted, isCountWhole } = await index.survey(db, wanted, {
    ...limits,
    // Without words there is nothing to rank by.
    newest: words.length > 0 ? rankedMatches : 0,
  })
  const { total, isCapped } = await count()
  if (offset >= total) return { ids: [], total, isCapped }
  const limit = Math.min(query.limit, total - offset)
  return { ids: await page(), total, isCapped }

  async function count() {
    if (isCountWhole && counted < countedMatches) return { total: counted, isCapped: false }
    const isEnough = counted >= enoughMatches && counted > offset + query.limit && !order
    return isEnough ? { total: counted, isCapped: true } : { total: await index.count(db, wanted), isCapped: false }
  }

  async function page() {
    if (order || query.sort === 'recent' || words.length === 0)
      return index.findIds(db, wanted, { offset, limit, order })
    const ids = ranked().slice(offset, offset + limit)
    if (ids.length < limit && newestIds.length === rankedMatches) {
      ids.push(...(await find('words', offset + ids.length, limit - ids.length)))
    }
    if (ids.length < limit && hasParts(words)) {
      const before = newestIds.length < rankedMatches ? newestIds.length : await index.count(db, ofWords('words'))
      ids.push(...(await find('parts', Math.max(0, offset - before), limit - ids.length)))
    }
    return ids
  }

  function ofWords(matching: Matching): SearchQuery {
    return { ...wanted, matching }
  }

  function find(matching: Matching, first: number, length: number) {
    return index.findIds(db, ofWords(matching), { offset: first, limit: length })
  }

  function ranked() {
    const ranks = Map.groupBy(newestIds, (id) =>
      wholeIds.has(id) ? 'whole' : namedIds.has(id) ? 'named' : 'described',
    )
    return (['whole', 'named', 'described'] as const).flatMap((rank) => ranks.get(rank) ?? [])
  }
}

const orders = {
  recent: ['created_at', 'id'],
  taken: ['dated_at', 'id'],
  name: ['name_key', 'id'],
  size: ['size', 'id'],
  type: ['mime_type', 'created_at', 'id'],
} as const

/** Matches are found newest first; any other order needs all of them. Search results have no manual order. */
function orderOf({ sort, direction }: MediaQuery) {
  if (sort === undefined || sort === 'manual') return undefined
  if (sort === 'recent' && direction !== 'asc') return undefined
  const columns: readonly string[] = orders[sort]
  const usual = usualDirections[sort]
  const isTurned = direction !== undefined && direction !== usual
  // Within a type the newest come first.
  const directions = columns.map((_, index) => (sort === 'type' && index > 0 ? 'desc' : usual))
  const parts = columns.map((column, index) => {
    const isDescending = (directions[index] === 'desc') !== isTurned
    return sql`${sql.ref(column)} ${sql.raw(isDescending ? 'DESC' : 'ASC')}`
  })
  return sql.join(parts)
}
