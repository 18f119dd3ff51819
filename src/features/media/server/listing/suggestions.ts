import type { Db } from '#platform/server/db/tables.ts'
import { hasWords } from '#shared/word-forms.ts'
import type { Suggestion } from '../../finding-contract.ts'
import {
  type FilterName,
  filterNames,
  filterValues,
  isListed,
  isRange,
  printFilter,
  rangeExamples,
} from '../../search-query.ts'
import type { FacetKind } from '../tables.ts'
import { withCounts } from './collection-items.ts'
import { suggestFacets } from './facets.ts'
import { listNames } from './search-terms.ts'

const shown = 10
const shownOfKind = 4

/** What the word under the caret may become. */
export async function suggest(db: Db, ownerId: number, search: string, caret = search.length) {
  const { from, to, word } = wordAt(search, caret)
  const isExcluded = word.startsWith('-')
  const [typedName, typedValue] = splitFilter(isExcluded ? word.slice(1) : word)
  const suggestions = typedName
    ? await suggestValues(db, ownerId, { name: typedName, start: typedValue, isExcluded })
    : await suggestAny(db, ownerId, typedValue, isExcluded)
  return { from, to, suggestions: suggestions.slice(0, shown) }
}

/** The word around the caret; inside quotation marks, everything since the one that opens them. */
function wordAt(search: string, caret: number) {
  for (const part of search.matchAll(/(?:[^\s"“”„]|["“”„][^"“”„]*(?:["“”]|$))+/gu)) {
    const [from, to] = [part.index, part.index + part[0].length]
    if (from <= caret && caret <= to) return { from, to, word: part[0] }
  }
  return { from: caret, to: caret, word: '' }
}

function splitFilter(word: string): [name: FilterName | undefined, value: string] {
  const colon = word.indexOf(':')
  const name = filterNames.find((known) => known === word.slice(0, Math.max(0, colon)).toLowerCase())
  return [name, (name ? word.slice(colon + 1) : word).replace(/["“”„]/gu, '').trim()]
}

type Asked = { name: FilterName; start: string; isExcluded: boolean }

async function suggestValues(db: Db, ownerId: number, { name, start, isExcluded }: Asked): Promise<Suggestion[]> {
  const fixed: readonly string[] = isListed(name) ? filterValues[name] : isRange(name) ? rangeExamples[name] : []
  if (fixed.length > 0) {
    const matching = fixed.filter((value) => isRange(name) || value.startsWith(start.toLowerCase()))
    return matching.map((value) => asSuggestion('value', { name, value, isExcluded }, null))
  }
  if (name === 'in' || name === 'website') return suggestCollections(db, ownerId, { name, start, isExcluded }, shown)
  return facetSuggestions(db, ownerId, [name as FacetKind], { start, isExcluded }, shown)
}

async function suggestAny(db: Db, ownerId: number, start: string, isExcluded: boolean): Promise<Suggestion[]> {
  const names = filterNames.filter((name) => name.startsWith(start.toLowerCase()))
  const filters = names.map((name): Suggestion => {
    const text = `${isExcluded ? '-' : ''}${name}:`
    return { kind: 'filter', text, label: text, count: null }
  })
  if (start === '') return filters
  const asked = { start, isExcluded }
  return [
    ...(await facetSuggestions(db, ownerId, ['tag'], asked, shownOfKind)),
    ...(await suggestCollections(db, ownerId, { name: 'in', ...asked }, shownOfKind)),
    ...(await facetSuggestions(db, ownerId, ['place', 'camera'], asked, shownOfKind)),
    ...filters,
  ]
}

type FilterPart = { name: FilterName; value: string; isExcluded: boolean }

const asSuggestion = (kind: Suggestion['kind'], filter: FilterPart, count: number | null): Suggestion => ({
  kind,
  text: printFilter(filter),
  label: filter.value,
  count,
})

type Start = { start: string; isExcluded: boolean }

async function facetSuggestions(
  db: Db,
  ownerId: number,
  kinds: FacetKind[],
  { start, isExcluded }: Start,
  limit: number,
) {
  const rows = await suggestFacets(db, ownerId, kinds, start, limit)
  return rows.map(({ kind, value, item_count }) => asSuggestion(kind, { name: kind, value, isExcluded }, item_count))
}

async function suggestCollections(db: Db, ownerId: number, { name, start, isExcluded }: Asked, limit: number) {
  const matches = (text: string) => start === '' || hasWords(text, start)
  const collections = await listNames(db, ownerId)
  const byText = Map.groupBy(collections, (row) => (name === 'in' ? row.name : (row.website ?? row.company)) ?? '')
  const kind = name === 'in' ? 'collection' : 'website'
  const suggestions: Suggestion[] = []
  for (const [value, rows] of [...byText].filter(([text]) => text && matches(text)).slice(0, limit)) {
    const count = (await withCounts(db, rows)).reduce((sum, { media_count }) => sum + media_count, 0)
    suggestions.push(asSuggestion(kind, { name, value, isExcluded }, count))
  }
  return suggestions
}
