import type { Kysely } from 'kysely'
import type { Db, Row, Tables } from '#platform/server/db/tables.ts'
import { fold } from '#shared/fold.ts'
import { hasWords } from '#shared/word-forms.ts'
import { parseSearch, printSearch, type SearchFilter } from '../../search-query.ts'
import { findFacets, hasFewDuplicates } from './facets.ts'
import { loadCollection } from './list-queries.ts'
import { bothOf, noTerms, nothing, type SearchTerms } from './search-index.ts'
import { anyItem, clauseOf, collectionMark, facetMark, type MarkClause } from './search-marks.ts'
import { excludedWords, searchWords } from './search-words.ts'

export type ReadSearch = {
  terms: SearchTerms
  /** The words and phrases as typed, for a search by meaning. */
  text: string
  /** Whether anything narrows the search other than words. */
  isFiltered: boolean
  /** Sentences about names that are unknown. */
  notes: string[]
}

/** The smart collections whose queries are being read, each inside of the one before it. */
type Path = readonly number[]

/** What a search asks of the index; undefined if it asks nothing. Names in it are looked up. */
async function readSearch(db: Db, ownerId: number, search = '', path: Path = []): Promise<ReadSearch | undefined> {
  const parsed = parseSearch(search)
  const words = searchWords(parsed)
  const excluded = excludedWords(parsed)
  const { filters } = parsed
  if (words.length + excluded.length + filters.length === 0) return undefined
  const notes: string[] = []
  const { marks, sets } = await clausesOf({ db, ownerId, notes, path }, filters)
  const duplicates = filters.filter(({ name, value }) => name === 'is' && value === 'duplicate')
  return {
    terms: {
      words,
      excluded,
      marks,
      duplicates: duplicates.map(({ isExcluded }) => !isExcluded),
      sets,
      hasFewDuplicates: duplicates.length > 0 && (await hasFewDuplicates(db, ownerId)),
    },
    text: printSearch({ ...parsed, exclusions: [], filters: [] }),
    isFiltered: filters.length + excluded.length > 0,
    notes,
  }
}

/** An item has one of each of these, so two values of one filter mean either. */
const single = new Set<SearchFilter['name']>(['type', 'shape', 'format', 'camera'])

type Reading = { db: Db; ownerId: number; notes: string[]; path: Path }

async function clausesOf(reading: Reading, filters: SearchFilter[]): Promise<Pick<SearchTerms, 'marks' | 'sets'>> {
  const clauses: MarkClause[] = []
  const sets: SearchTerms['sets'] = []
  const alternatives = new Map<string, MarkClause>()
  for (const filter of filters) {
    if (filter.name === 'in' || filter.name === 'website') {
      const { marks, set } = await lookUpCollections(reading, { ...filter, name: filter.name })
      if (marks) clauses.push(marks)
      if (set) sets.push(set)
      continue
    }
    const clause = clauseOf(filter) ?? (await lookUp(reading, filter))
    if (!clause) continue
    const earlier = filter.isExcluded ? undefined : alternatives.get(filter.name)
    if (earlier) earlier.anyOf.push(...clause.anyOf)
    else clauses.push(clause)
    if (single.has(filter.name) && !filter.isExcluded && !earlier) alternatives.set(filter.name, clause)
  }
  // A document of an earlier version has no marks, so it would pass every exclusion, also for visitors of a shared search.
  const isNarrowed = [...clauses, ...sets].some(({ isExcluded }) => isExcluded)
  return { marks: isNarrowed ? [{ anyOf: [anyItem], isExcluded: false }, ...clauses] : clauses, sets }
}

async function lookUp({ db, ownerId, notes }: Reading, filter: SearchFilter): Promise<MarkClause | undefined> {
  const { name, value, isExcluded } = filter
  switch (name) {
    case 'tag':
    case 'camera':
    case 'place': {
      const ids = await findFacets(db, ownerId, name, value)
      if (ids.length === 0) notes.push(unknown[name](value))
      return { anyOf: ids.map(facetMark), isExcluded }
    }
    default:
      return undefined
  }
}

/** Items have a mark for each collection that they were put into; the items of smart collections are found by a search. */
async function lookUpCollections(
  { db, ownerId, notes, path }: Reading,
  { name, value, isExcluded }: SearchFilter & { name: 'in' | 'website' },
): Promise<{ marks?: MarkClause; set?: SearchTerms['sets'][number] }> {
  const collections = await listNames(db, ownerId)
  const found = name === 'in' ? findByName(collections, value) : findByWebsite(collections, value)
  if (found.length === 0) {
    if (name === 'in' || !(await isWebsite(db, ownerId, value))) notes.push(unknown[name](value))
    // If the name is gone, a smart collection without its exclusion would show what was to be left out.
    if (isExcluded && path.length > 0) return { marks: nothing.marks[0]! }
  }
  const marks = { anyOf: found.filter(({ query }) => query === null).map(({ id }) => collectionMark(id)), isExcluded }
  const smart = found.filter(({ query }) => query !== null)
  if (smart.length === 0) return { marks }
  const anyOf: SearchTerms[] = []
  if (marks.anyOf.length > 0) anyOf.push({ ...noTerms, marks: [{ ...marks, isExcluded: false }] })
  for (const { id, query } of smart) anyOf.push((await readSaved(db, { id, owner_id: ownerId, query }, path)).terms)
  return { set: { anyOf, isExcluded } }
}

/**
 * [Note: Items of a collection]
 * A collection contains the items that were put into it or, if it is smart, those that match its query at this moment. The query is
 * answered by the search index at each read, so nothing can be out of date. `collection-items.ts` is the way to them.
 */
export type CollectionSource = Pick<Row<'collections'>, 'id' | 'owner_id' | 'query'>

/** The search of a smart collection. What cannot be answered completely matches nothing, as visitors may see the result. */
export async function readSaved(db: Db, { id, owner_id, query }: CollectionSource, path: Path = []) {
  const isAnswerable = !path.includes(id) && parseSearch(query!).faults.length === 0
  const read = isAnswerable ? await readSearch(db, owner_id, query!, [...path, id]) : undefined
  return read ?? { terms: nothing, notes: [] }
}

type ListQuery = { search?: string; collectionId?: number }

/** What a list asks of the index; undefined for one that is read without it. Another user's collection is not found. */
export async function readList(db: Kysely<Tables>, ownerId: number, { search, collectionId }: ListQuery) {
  const typed = await readSearch(db, ownerId, search)
  if (collectionId === undefined) return typed
  const collection = await loadCollection(db, ownerId, collectionId)
  if (collection.query !== null) {
    const saved = await readSaved(db, collection)
    if (typed) return { ...typed, terms: bothOf(saved.terms, typed.terms), isFiltered: true }
    return { ...saved, text: '', isFiltered: true }
  }
  const ofCollection = { ...noTerms, marks: [{ anyOf: [collectionMark(collectionId)], isExcluded: false }] }
  return typed && { ...typed, terms: bothOf(typed.terms, ofCollection), isFiltered: true }
}

const unknown: Record<'tag' | 'camera' | 'place' | 'in' | 'website', (value: string) => string> = {
  tag: (value) => `No item has the tag "${value}".`,
  camera: (value) => `No item was taken with a camera named "${value}".`,
  place: (value) => `No item was taken at a place named "${value}".`,
  in: (value) => `There is no collection named "${value}".`,
  website: (value) => `There is no website named "${value}".`,
}

/** Whether there is a website of this name, which may have no collections yet. */
async function isWebsite(db: Db, ownerId: number, value: string) {
  const named = db.selectFrom('websites').select('id').where('owner_id', '=', ownerId)
  return (await named.where('name_key', '=', fold(value).trim()).executeTakeFirst()) !== undefined
}

type CollectionName = Awaited<ReturnType<typeof listNames>>[number]

export const listNames = (db: Db, ownerId: number) =>
  db
    .selectFrom('collections')
    .leftJoin('websites', 'websites.id', 'collections.website_id')
    .select(['collections.id', 'collections.owner_id', 'collections.name', 'collections.media_count'])
    .select(['collections.company', 'collections.query', 'websites.name as website'])
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
