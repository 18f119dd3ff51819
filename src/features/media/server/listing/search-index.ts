import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'

/** One partition of the index: an owner's visible items, or those in the owner's trash. */
export type SearchSpace = { ownerId: number; isTrashed: boolean }

/**
 * `name` holds what users search for first (file name, tags), `text` everything else, both folded. The other fields are
 * filters.
 */
export type SearchDocument = SearchSpace & {
  mediaId: number
  name: string
  text: string
  type: 'image' | 'video'
  isFavorite: boolean
  collectionIds: number[]
}

/** Words are folded and not empty. All must match, anywhere in a word; those of one or two letters only at its beginning. */
export type SearchQuery = SearchSpace & { words: string[]; filter?: SearchFilter }
export type SearchFilter = { type?: 'image' | 'video'; isFavorite?: boolean; collectionId?: number }

type SearchPage = {
  limit: number
  offset?: number
  /** An order other than newest first, applied to at most `among` of the newest matches; `by` names columns of media. */
  order?: { by: RawBuilder<unknown>; among: number }
}

/** The library's order. Matches are found by id, which nearly always is the same; a page of them is sorted by it. */
export const newestFirst = sql`media.created_at DESC, media.id DESC`

type SurveyLimits = {
  /** How many matches are returned. */
  newest: number
  /** With that many matches, counting ends at `counted` matches, or after the newest `items` items. */
  counted: number
  items: number
  /** Names are stored outside the index, so reading them costs extra. */
  readsNames: boolean
}

type Survey = {
  /** Newest first. */
  newestIds: number[]
  /** The ids among `newestIds` that match by name alone, with the name if it was requested. */
  names: Map<number, string>
  /** Zero if there are fewer matches than the limit: then `newestIds` has all of them. */
  counted: number
  /** False if older items were not counted. */
  isCountWhole: boolean
}

export type SearchIndex = {
  replace(db: Db, documents: SearchDocument[]): Promise<void>
  /** Everything that each page of results needs, in one statement, since several would cost more than their results. */
  survey(db: Db, query: SearchQuery, limits: SurveyLimits): Promise<Survey>
  /** Ids of matching media, newest first unless another order is requested. */
  findIds(db: Db, query: SearchQuery, page: SearchPage): Promise<number[]>
  countUpTo(db: Db, query: SearchQuery, limit: number): Promise<number>
}

const letter = '[\\p{L}\\p{N}]'
/** Scripts without spaces: a word may begin at any character. */
const unspaced = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]'
const wordStart = new RegExp(`(?:(?<!${letter})|(?=${unspaced}))(${letter})(?=(${letter})?)`, 'gu')

/** The first one and two letters of each word, without duplicates: searches of one or two letters look for these. */
export function wordPrefixes(text: string) {
  const prefixes = new Set<string>()
  for (const [, first, second] of text.matchAll(wordStart)) {
    prefixes.add(first!)
    if (second) prefixes.add(first! + second)
  }
  return [...prefixes]
}

/** A trigram index cannot find such words. */
export const isShortWord = (word: string) => [...word].length < 3
