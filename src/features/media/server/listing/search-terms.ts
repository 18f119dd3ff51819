import type { Db } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'
import { hasWords } from '#shared/word-forms.ts'
import { parseSearch, printSearch, type SearchFilter } from '../../search-query.ts'
import { findFacets, hasFewDuplicates } from './facets.ts'
import { excludedWords, searchWords } from './search-documents.ts'
import type { SearchTerms } from './search-index.ts'
import { clauseOf, collectionMark, facetMark, type MarkClause } from './search-marks.ts'

export type ReadSearch = {
  terms: SearchTerms
  /** The words and phrases as typed, for a search by meaning. */
  text: string
  /** Whether anything narrows the search other than words. */
  isFiltered: boolean
  /** Sentences about names that are unknown. */
  notes: string[]
}

/** What a search asks of the index; undefined if it asks nothing. Names in it are looked up. */
export async function readSearch(db: Db, ownerId: number, search = ''): Promise<ReadSearch | undefined> {
  const parsed = parseSearch(search)
  const words = searchWords(parsed)
  const excluded = excludedWords(parsed)
  const { filters } = parsed
  if (words.length + excluded.length + filters.length === 0) return undefined
  const notes: string[] = []
  const marks = await clausesOf(db, ownerId, filters, notes)
  const duplicates = filters.filter(({ name, value }) => name === 'is' && value === 'duplicate')
  return {
    terms: {
      words,
      excluded,
      marks,
      duplicates: duplicates.map(({ isExcluded }) => !isExcluded),
      hasFewDuplicates: duplicates.length > 0 && (await hasFewDuplicates(db, ownerId)),
    },
    text: printSearch({ ...parsed, exclusions: [], filters: [] }),
    isFiltered: filters.length + excluded.length > 0,
    notes,
  }
}

/** An item has one of each of these, so two values of one filter mean either. */
const single = new Set<SearchFilter['name']>(['type', 'shape', 'format', 'camera'])

async function clausesOf(db: Db, ownerId: number, filters: SearchFilter[], notes: string[]) {
  const clauses: MarkClause[] = []
  const alternatives = new Map<string, MarkClause>()
  for (const filter of filters) {
    const clause = clauseOf(filter) ?? (await lookUp(db, ownerId, filter, notes))
    if (!clause) continue
    const earlier = filter.isExcluded ? undefined : alternatives.get(filter.name)
    if (earlier) earlier.anyOf.push(...clause.anyOf)
    else clauses.push(clause)
    if (single.has(filter.name) && !filter.isExcluded && !earlier) alternatives.set(filter.name, clause)
  }
  return clauses
}

async function lookUp(db: Db, ownerId: number, filter: SearchFilter, notes: string[]): Promise<MarkClause | undefined> {
  const { name, value, isExcluded } = filter
  switch (name) {
    case 'tag':
    case 'camera':
    case 'place': {
      const ids = await findFacets(db, ownerId, name, value)
      if (ids.length === 0) notes.push(unknown[name](value))
      return { anyOf: ids.map(facetMark), isExcluded }
    }
    case 'in':
    case 'website': {
      const collections = await listNames(db, ownerId)
      const found = name === 'in' ? findByName(collections, value) : findByWebsite(collections, value)
      if (found.length === 0) notes.push(unknown[name](value))
      return { anyOf: found.map(({ id }) => collectionMark(id)), isExcluded }
    }
    default:
      return undefined
  }
}

const unknown: Record<'tag' | 'camera' | 'place' | 'in' | 'website', (value: string) => string> = {
  tag: (value) => `No item has the tag "${value}".`,
  camera: (value) => `No item was taken with a camera named "${value}".`,
  place: (value) => `No item was taken at a place named "${value}".`,
  in: (value) => `There is no collection named "${value}".`,
  website: (value) => `There is no website named "${value}".`,
}

type CollectionName = Awaited<ReturnType<typeof listNames>>[number]

export const listNames = (db: Db, ownerId: number) =>
  db
    .selectFrom('collections')
    .leftJoin('websites', 'websites.id', 'collections.website_id')
    .select(['collections.id', 'collections.name', 'collections.media_count', 'collections.company'])
    .select('websites.name as website')
    .where('collections.owner_id', '=', ownerId)
    .orderBy('collections.created_at', 'desc')
    .orderBy('collections.id', 'desc')
    .execute()

/** The collection of that name, or else those whose names have its words. */
function findByName(collections: CollectionName[], value: string) {
  const key = fold(value)
  const same = collections.filter(({ name }) => fold(name) === key)
  return same.length > 0 ? same : collections.filter(({ name }) => hasWords(name, value))
}

function findByWebsite(collections: CollectionName[], value: string) {
  const key = fold(value)
  return collections.filter(({ website, company }) => [website, company].some((name) => name && fold(name) === key))
}

const shownCollections = 12

/** The newest collections whose names match the words of a search. */
export async function findCollections(db: Db, ownerId: number, text: string) {
  const collections = await listNames(db, ownerId)
  const matching = collections.filter(({ name }) => hasWords(name, text)).slice(0, shownCollections)
  return matching.map(({ id, name, media_count }) => ({ id, name, mediaCount: media_count }))
}
