import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import type { Db } from './tables.ts'

export type SqlDialect = {
  /** Takes rows for changing and passes over those that another process holds. */
  lockFreeRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Holds rows against every other change until the transaction ends. */
  holdRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Until the transaction ends: any number hold a name together, or one holds it alone. */
  holdTogether(db: Db, name: HeldName): Promise<void>
  holdAlone(db: Db, name: HeldName): Promise<void>
  isUniqueViolation(error: unknown): boolean
  /** After rows were written with the ids they had elsewhere: the next new row gets an id behind all of them. */
  continueIds(db: Db, table: string): Promise<void>
  search: SearchIndex
}

export type HeldName = 'library' | 'backups'

/** One library's part of the index: what its owner sees, or what lies in their trash. */
export type SearchSpace = { ownerId: number; isTrashed: boolean }

/**
 * `name` holds what a person looks for first (file name, tags), `text` everything else; both already folded.
 * The rest is what a search can be narrowed by.
 */
export type SearchDocument = SearchSpace & {
  mediaId: number
  name: string
  text: string
  type: 'image' | 'video'
  isFavorite: boolean
  collectionIds: number[]
}

/** Words are folded and not empty; all of them must match, any part of a word is enough (one or two letters: its beginning). */
export type SearchQuery = SearchSpace & {
  words: string[]
  isNameOnly?: boolean
  limit: number
  offset?: number
  filter?: SearchFilter
  /** Only items with higher ids: a bound on the work where a bound on the matches is none. */
  afterId?: number
  /** Another order than newest first, over so many of the newest matches; `by` names columns of media. */
  order?: { by: RawBuilder<unknown>; among: number }
}
export type SearchFilter = { type?: 'image' | 'video'; isFavorite?: boolean; collectionId?: number }

export type SearchIndex = {
  replace(db: Db, documents: SearchDocument[]): Promise<void>
  /** Ids of matching media, newest first unless another order is asked for. */
  findIds(db: Db, query: SearchQuery): Promise<number[]>
  /** How many match, counted no further than the query's limit. */
  countUpTo(db: Db, query: SearchQuery): Promise<number>
}
