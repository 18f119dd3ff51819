import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'
import { searchIndexOf } from './search-documents.ts'
import { isShortWord, type SearchQuery } from './search-index.ts'

/**
 * [Note: Bounded ranking]
 * Ranking every match of a common word costs more the larger the library is. So the newest matches are ranked (those by
 * name or tag before those by description, and of these whole words before parts of words), the rest follow newest first,
 * and no more than `countedMatches` are counted.
 */
const rankedMatches = 200
const countedMatches = 10_000
/** Words that rarely meet are dear to count: with so many matches among the newest items, older ones are not counted. */
const countedItems = 100_000
const enoughMatches = 500

export type Matches = { ids: number[]; total: number; isCapped: boolean }

export async function findMatches(db: Db, ownerId: number, words: string[], query: MediaQuery): Promise<Matches> {
  const index = searchIndexOf(db)
  const wanted: SearchQuery = {
    ownerId,
    words,
    isTrashed: query.trashed === true,
    filter: { type: query.type, isFavorite: query.favorite, collectionId: query.collectionId },
  }
  // One and two letters are found at the beginning of words only, none of which is nearer than another.
  const readsNames = isByRank(query) && !words.every(isShortWord)
  const limits = { newest: rankedMatches, counted: countedMatches, items: countedItems, readsNames }
  const { newestIds, names, counted, isCountWhole } = await index.survey(db, wanted, limits)
  const offset = (query.page - 1) * query.limit
  const { total, isCapped } = await count()
  if (offset >= total) return { ids: [], total, isCapped }
  const limit = Math.min(query.limit, total - offset)
  return { ids: await page(), total, isCapped }

  async function count() {
    if (newestIds.length < rankedMatches) return { total: newestIds.length, isCapped: false }
    const isEnough = isCountWhole || counted === countedMatches || (counted >= enoughMatches && !orderOf(query))
    if (isEnough) return { total: counted, isCapped: counted === countedMatches || !isCountWhole }
    const all = await index.countUpTo(db, wanted, countedMatches)
    return { total: all, isCapped: all === countedMatches }
  }

  async function page() {
    const by = orderOf(query)
    if (by) return index.findIds(db, wanted, { offset, limit, order: { by, among: countedMatches } })
    const first = (isByRank(query) ? ranked() : newestIds).slice(offset, offset + limit)
    if (first.length === limit) return first
    const rest = { offset: offset + first.length, limit: limit - first.length }
    return [...first, ...(await index.findIds(db, wanted, rest))]
  }

  function ranked() {
    const ranks = Map.groupBy(newestIds, (id) => {
      const name = names.get(id)
      if (name === undefined) return 'described'
      return readsNames ? rankOf(name, words) : 0
    })
    return ([0, 1, 2, 'described'] as const).flatMap((rank) => ranks.get(rank) ?? [])
  }
}

const orders = {
  name: sql`name_key, id`,
  size: sql`size DESC, id DESC`,
  type: sql`mime_type, created_at DESC, id DESC`,
}

const isByRank = ({ sort }: MediaQuery) => sort === undefined || sort === 'manual'

/** Newest first is the order in which matches are found; any other needs all of them. What matches has no manual order. */
function orderOf({ sort }: MediaQuery) {
  return sort === undefined || sort === 'recent' || sort === 'manual' ? undefined : orders[sort]
}

const isLetter = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)

type Nearness = 0 | 1 | 2

/**
 * How far a name is from the words that were looked for, all of which it holds: 0 when each stands there as a word, 1 when
 * each at least begins one, 2 when one is only somewhere inside ("cat" in "vacation").
 */
function rankOf(name: string, words: string[]): Nearness {
  // The farthest counts; no other number can come of these.
  return Math.max(...words.map((word) => rankOfWord(name, word))) as Nearness
}

function rankOfWord(name: string, word: string): Nearness {
  let nearest: Nearness = 2
  for (let start = name.indexOf(word); start !== -1; start = name.indexOf(word, start + 1)) {
    const end = start + word.length
    if (isLetter(word[0]) && isLetter(name[start - 1])) continue
    if (!isLetter(word.at(-1)) || !isLetter(name[end])) return 0
    nearest = 1
  }
  return nearest
}
