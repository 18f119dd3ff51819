import { sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import type { MediaQuery } from '../../contract.ts'
import { searchIndexOf } from './search-documents.ts'
import { isShortWord, type SearchQuery } from './search-index.ts'

/**
 * [Note: Bounded ranking]
 * Ranking all matches of a common word gets slower as the library grows. So only the newest matches are ranked, by name or
 * tag before description, and whole words before parts of words. The rest follow newest first, and at most `countedMatches`
 * are counted.
 */
const rankedMatches = 200
const countedMatches = 10_000
/**
 * Counting a combination of rare words is slow, so with this many of the newest items matching, older items are not counted.
 */
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
  // One and two letters match only beginnings of words, which all rank the same.
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

/** Matches are found newest first; any other order needs all of them. Search results have no manual order. */
function orderOf({ sort }: MediaQuery) {
  return sort === undefined || sort === 'recent' || sort === 'manual' ? undefined : orders[sort]
}

const isLetter = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)

type Nearness = 0 | 1 | 2

/**
 * How well a name matches words that it contains: 0 if each is a whole word, 1 if each begins a word, 2 if one is only inside
 * a word ("cat" in "vacation").
 */
function rankOf(name: string, words: string[]): Nearness {
  // The worst match counts; the maximum of such values is such a value.
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
