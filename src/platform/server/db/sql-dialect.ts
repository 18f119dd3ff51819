import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Tables } from './tables.ts'

export type SqlDialect = {
  /** Takes rows for changing and passes over those that another process holds. */
  lockFreeRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Holds rows against every other change until the transaction ends. */
  holdRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Until the transaction ends: any number hold a name together, or one holds it alone. */
  holdTogether(db: Db, name: HeldName): Promise<void>
  holdAlone(db: Db, name: HeldName): Promise<void>
  /** How many processes share this database, as far as they hear each other; this one is among them. */
  countProcesses(db: Db): Promise<number>
  /** Milliseconds of the one clock that all processes on this database share; their own may differ. */
  now(): RawBuilder<number>
  /** Until the transaction ends nobody else changes these tables; whoever reads them goes on. */
  holdTables(db: Db, tables: (keyof Tables)[]): Promise<void>
  isUniqueViolation(error: unknown): boolean
  /** Two waited for each other, and this one was ended for it: it may simply be tried again. */
  isDeadlock(error: unknown): boolean
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
export type SearchQuestion = SearchSpace & { words: string[]; filter?: SearchFilter }
export type SearchFilter = { type?: 'image' | 'video'; isFavorite?: boolean; collectionId?: number }

type SearchPage = {
  limit: number
  offset?: number
  /** Another order than newest first, over so many of the newest matches; `by` names columns of media. */
  order?: { by: RawBuilder<unknown>; among: number }
}

/**
 * As the library has it. Items are found by their numbers, which they got as they arrived; among so many as are read
 * at once, those of one selection stand in its order.
 */
export const newestFirst = sql`media.created_at DESC, media.id DESC`

/** How far a survey looks: so many of the newest matches, and if there are as many, so many counted among so many of the newest items. */
type SurveyBounds = {
  newest: number
  counted: number
  items: number
  /** Whether the texts of names are wanted, which have to be read. */
  readsNames: boolean
}

type Survey = {
  /** Newest first. */
  newestIds: number[]
  /** Those of them that match by their name alone; with its text, when that was wanted. */
  names: Map<number, string>
  /** Zero if fewer than the newest that were asked for match: then these are all. */
  counted: number
  /** False if there are older items than those among which was counted. */
  isCountWhole: boolean
}

export type SearchIndex = {
  replace(db: Db, documents: SearchDocument[]): Promise<void>
  /** What every page of results needs to know, in one question: asking several costs more than the answers. */
  survey(db: Db, question: SearchQuestion, bounds: SurveyBounds): Promise<Survey>
  /** Ids of matching media, newest first unless another order is asked for. */
  findIds(db: Db, question: SearchQuestion, page: SearchPage): Promise<number[]>
  countUpTo(db: Db, question: SearchQuestion, limit: number): Promise<number>
}
