import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/server/db/tables.ts'
import { baseForms, hasHiddenForms, umlautPlurals } from '#shared/word-forms.ts'
import type { Mark, MarkClause } from './search-marks.ts'

/** One partition of the index: an owner's visible items, or those in the owner's trash. */
export type SearchSpace = { ownerId: number; isTrashed: boolean }

/**
 * `name` holds what users search for first (file name, tags), `text` everything else, both as `markWords` returns them. The
 * other fields are filters, see [Note: Marks].
 */
export type SearchDocument = SearchSpace & {
  mediaId: number
  name: string
  text: string
  marks: Mark[]
}

/** All words and clauses must match, and none of the excluded words. */
export type SearchTerms = {
  words: SearchWord[]
  excluded: SearchWord[]
  marks: MarkClause[]
  /** Whether items that share their perceptual hash with another are wanted, or excluded. */
  duplicates: boolean[]
  hasFewDuplicates?: boolean
  /** Matches of other searches, such as those of smart collections. */
  sets: SetClause[]
}
/** Matches of any one of the searches, or of none of them. */
type SetClause = { anyOf: SearchTerms[]; isExcluded: boolean }
export type SearchQuery = SearchSpace & SearchTerms & { matching?: Matching }

/**
 * `all`: each word anywhere, also inside another word ("cat" in "vacation"). `words`: each at the beginning of a word, or in
 * another of its forms. `parts`: the others of `all`.
 */
export type Matching = 'all' | 'words' | 'parts'

type SearchPage = {
  limit: number
  offset?: number
  /** An order other than newest first, as columns of media. */
  order?: RawBuilder<unknown>
}

/** The library's order. Matches are found by id, which nearly always is the same; a page of them is sorted by it. */
export const newestFirst = sql`media.created_at DESC, media.id DESC`

type SurveyLimits = {
  /** How many matches of `words` are returned. */
  newest: number
  /** Counting ends at `counted` matches, or after the newest `items` items. */
  counted: number
  items: number
}

type Survey = {
  /** The newest matches of `words`, newest first. */
  newestIds: number[]
  /** The ids among `newestIds` that match by name alone. */
  namedIds: Set<number>
  /** The ids among `namedIds` whose name has each word as a whole, or in another of its forms. */
  wholeIds: Set<number>
  /** The matches of `all`. */
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
  count(db: Db, query: SearchQuery): Promise<number>
  /** A statement that selects the ids of all matching media, or of those on a page or among `ids`. */
  selectIds(query: SearchQuery, part?: IdsPart): RawBuilder<unknown>
}

/** A page is in the order of ids, newest first. */
export type IdsPart = { page?: { limit: number; offset: number }; ids?: number[] }

export const noTerms: SearchTerms = { words: [], excluded: [], marks: [], duplicates: [], sets: [] }

/** A search whose matches are in both. */
export const bothOf = (one: SearchTerms, other: SearchTerms): SearchTerms => ({
  words: [...one.words, ...other.words],
  excluded: [...one.excluded, ...other.excluded],
  marks: [...one.marks, ...other.marks],
  duplicates: [...one.duplicates, ...other.duplicates],
  hasFewDuplicates: one.hasFewDuplicates || other.hasFewDuplicates,
  sets: [...one.sets, ...other.sets],
})

/** A search that matches nothing. */
export const nothing: SearchTerms = { ...noTerms, marks: [{ anyOf: [], isExcluded: false }] }

/** The perceptual hashes that at least two of an owner's items have. */
const sharedLooks = ({ ownerId }: SearchSpace) =>
  sql`SELECT perceptual_hash FROM media_looks WHERE owner_id = ${ownerId} AND item_count > 1`

/** The ids of those items. */
export const duplicateIds = (space: SearchSpace) =>
  sql`SELECT media.id FROM media WHERE owner_id = ${space.ownerId} AND is_trashed = ${sql.lit(space.isTrashed ? 1 : 0)}
    AND perceptual_hash IN (${sharedLooks(space)})`

/**
 * [Note: Marked words]
 * Texts are indexed with marks before and after each word, and searched for as parts of these texts: "each" is found in
 * "beach" as it stands, only at the beginning of a word with a mark before it, and as a whole word with one on each side.
 * There are two before each word, which make a trigram with a single letter. Base forms follow as words of their own.
 */
const startMark = '\u0002'
const endMark = '\u0003'

const letter = '[\\p{L}\\p{N}]'
/** Scripts without spaces: each character counts as a word. */
const unspaced = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]'
const anyWord = new RegExp(`${unspaced}|(?:(?!${unspaced})${letter})+`, 'gu')

const marked = (folded: string) =>
  folded.replace(/[^\P{Cc}\n]/gu, ' ').replace(anyWord, `${startMark}${startMark}$&${endMark}`)

/** The text as it is indexed; `text` before it was folded tells where an umlaut was. */
export function markWords(folded: string, text: string) {
  const umlauts = umlautPlurals(text)
  const bases = new Set<string>()
  for (const [word] of folded.matchAll(anyWord)) for (const base of baseForms(word, umlauts.has(word))) bases.add(base)
  return [marked(folded), ...[...bases].map(marked)].join('\n')
}

/** What to look for in marked texts, one of which must be there. */
export type SearchWord = {
  /** Anywhere; for one or two letters, only at the beginning of a word. */
  anywhere: string[]
  atStart: string[]
  whole: string[]
}

const isShort = (word: string) => [...word].length < 3

/** `word` is folded and can be a phrase. */
export function toSearchWord(word: string, hadUmlaut: boolean): SearchWord {
  const whole = asWhole(word)
  const unended = whole.endsWith(endMark) ? whole.slice(0, -1) : whole
  // Short words match at the beginning of a word only, and without a letter or digit not at all.
  const atStart = isShort(word) && !unended.startsWith(startMark) ? startMark + unended : unended
  const anywhere = !isShort(word) && atStart.startsWith(startMark) ? atStart.slice(1) : atStart
  const bases = baseForms(word, hadUmlaut).map(asWhole)
  const hidden = hasHiddenForms(word) ? [whole] : []
  return {
    anywhere: [anywhere, ...hidden, ...bases],
    atStart: [atStart, ...bases],
    whole: [whole, ...bases],
  }
}

/** With one mark at its beginning where that is enough, because each trigram more makes a search slower. */
const asWhole = (word: string) => {
  const text = marked(word)
  return word.length > 1 && text.startsWith(startMark) ? text.slice(1) : text
}

/** Whether matches inside of words are to be told from the others. */
export const hasParts = (words: SearchWord[]) => words.some(({ anywhere, atStart }) => anywhere[0] !== atStart[0])
