import { fold } from '#shared/fold.ts'
import { type Days, parseBytes, parseDays, parsePixels, type Range } from './search-ranges.ts'

export const filterNames = [
  'type',
  'tag',
  'in',
  'website',
  'taken',
  'added',
  'size',
  'width',
  'shape',
  'format',
  'color',
  'camera',
  'place',
  'is',
] as const
export type FilterName = (typeof filterNames)[number]

/** One filter of a search; `value` is as typed, without quotation marks, and lowercase where its values are a fixed list. */
export type SearchFilter = { name: FilterName; value: string; isExcluded: boolean }
/** A part of a search that cannot be answered, and a sentence that says what can. */
type SearchFault = { text: string; message: string }
type SearchExclusion = { text: string; isPhrase: boolean }

export type ParsedSearch = {
  /** Words outside quotation marks, as typed. */
  words: string[]
  phrases: string[]
  exclusions: SearchExclusion[]
  filters: SearchFilter[]
  faults: SearchFault[]
}

/** The values of the filters that have a fixed list, in the order in which they are offered. */
export const filterValues = {
  type: ['image', 'video'],
  shape: ['landscape', 'portrait', 'square'],
  format: ['jpeg', 'png', 'gif', 'webp', 'avif', 'mp4', 'mov', 'avi'],
  color: ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink', 'brown', 'black', 'gray', 'white'],
  is: ['public', 'favorite', 'described', 'undescribed', 'noalt', 'duplicate', 'inbox'],
} as const satisfies Partial<Record<FilterName, readonly string[]>>
type ListedFilterName = keyof typeof filterValues
export type ColorName = (typeof filterValues.color)[number]
export type FlagName = (typeof filterValues.is)[number]

/** Filters with a range of values, and an example of each. */
export const rangeExamples = {
  taken: ['2024', '2024..2025', '>2026-01'],
  added: ['2026', '>2026-01', '<2026-05-17'],
  size: ['>2mb', '<500kb', '1mb..5mb'],
  width: ['>1920', '<800', '1200..1920'],
} as const satisfies Partial<Record<FilterName, readonly string[]>>
type RangeFilterName = keyof typeof rangeExamples

/** Other spellings of filters and of their values. */
const otherNames: Record<string, FilterName> = { colour: 'color', collection: 'in' }
const otherValues: Record<string, string> = {
  images: 'image',
  videos: 'video',
  jpg: 'jpeg',
  quicktime: 'mov',
  grey: 'gray',
  violet: 'purple',
  turquoise: 'teal',
  favourite: 'favorite',
  duplicates: 'duplicate',
}

export const isListed = (name: FilterName): name is ListedFilterName => name in filterValues
export const isRange = (name: FilterName): name is RangeFilterName => name in rangeExamples

const names = [...filterNames, ...Object.keys(otherNames)].join('|')
/**
 * A part of a search: perhaps a minus, perhaps the name of a filter, then a phrase between straight or curly quotation
 * marks, the last of which may still be missing, or a word. Any other word before a colon belongs to an ordinary word.
 */
const searchPart = new RegExp(`(-(?=[^\\s-]))?(?:(${names}):)?(?:["“”„]([^"“”„]*)(?:["“”]|$)|(\\S+))?`, 'giu')

/** Reads a search as typed. What it cannot answer is in `faults` and nowhere else. */
export function parseSearch(text: string): ParsedSearch {
  const parsed: ParsedSearch = { words: [], phrases: [], exclusions: [], filters: [], faults: [] }
  for (const [whole, minus, name, phrase, word = ''] of text.matchAll(searchPart)) {
    if (whole === '') continue
    const isPhrase = phrase !== undefined
    const value = isPhrase ? phrase.replace(/\s+/g, ' ').trim() : word
    if (name) addFilter(parsed, { whole, name, value, isExcluded: Boolean(minus) })
    else if (value === '') continue
    else if (minus) parsed.exclusions.push({ text: value, isPhrase })
    else parsed[isPhrase ? 'phrases' : 'words'].push(value)
  }
  return parsed
}

type FoundFilter = { whole: string; name: string; value: string; isExcluded: boolean }

function addFilter(parsed: ParsedSearch, { whole, name: typed, value: given, isExcluded }: FoundFilter) {
  const lower = typed.toLowerCase()
  const name = otherNames[lower] ?? (lower as FilterName)
  const lowerValue = given.toLowerCase()
  const value = isListed(name) ? (otherValues[lowerValue] ?? lowerValue) : isRange(name) ? lowerValue : given
  const message = faultOf(name, value)
  if (message) parsed.faults.push({ text: whole, message })
  else parsed.filters.push({ name, value, isExcluded })
}

const listed = (values: readonly string[], last: 'or' | 'and' = 'or') =>
  `${values.slice(0, -1).join(', ')} ${last} ${values.at(-1)}`

/** What each filter with free text is for. */
const freeTextExamples: Record<Exclude<FilterName, ListedFilterName | RangeFilterName>, string> = {
  tag: 'tag:beach',
  in: 'in:"Coast 2026"',
  website: 'website:Northwind',
  camera: 'camera:canon',
  place: 'place:lisbon',
}

function faultOf(name: FilterName, value: string): string | undefined {
  if (isListed(name)) {
    const values: readonly string[] = filterValues[name]
    return values.includes(value) ? undefined : `"${name}:" can be ${listed(values)}.`
  }
  if (isRange(name)) {
    const examples = rangeExamples[name].map((example) => `${name}:${example}`)
    return rangeOf({ name, value }) ? undefined : `"${name}:" needs ${rangeNouns[name]}, such as ${listed(examples)}.`
  }
  return fold(value).trim() ? undefined : `"${name}:" needs a name, such as ${freeTextExamples[name]}.`
}

const rangeNouns: Record<RangeFilterName, string> = {
  taken: 'a year, month, day or range of them',
  added: 'a year, month, day or range of them',
  size: 'a limit or range',
  width: 'a number of pixels or a range',
}

type RangeFilter = Pick<SearchFilter, 'name' | 'value'>

/** The first and last value that a filter with a range includes: days, bytes or pixels. Undefined if it makes no sense. */
export function rangeOf(filter: RangeFilter & { name: 'taken' | 'added' }): Days | undefined
export function rangeOf(filter: RangeFilter & { name: 'size' | 'width' }): Range | undefined
export function rangeOf(filter: RangeFilter & { name: RangeFilterName }): Days | Range | undefined
export function rangeOf({ name, value }: RangeFilter) {
  if (name === 'size') return parseBytes(value)
  return name === 'width' ? parsePixels(value) : parseDays(value)
}

/** Names are compared without quotation marks. */
const quotedIfNeeded = (value: string) => (/\s/.test(value) ? `"${value.replace(/["“”„]/gu, '')}"` : value)

/** A filter as it is typed. */
export const printFilter = ({ name, value, isExcluded }: SearchFilter) =>
  `${isExcluded ? '-' : ''}${name}:${quotedIfNeeded(value)}`

/** The search for everything with a tag. */
export const tagSearch = (tag: string) => printFilter({ name: 'tag', value: tag, isExcluded: false })

/** The search that `parseSearch` reads as the same one. Faults are left out. */
export function printSearch({ words, phrases, exclusions, filters }: Omit<ParsedSearch, 'faults'>) {
  return [
    ...words,
    ...phrases.map((phrase) => `"${phrase}"`),
    ...exclusions.map(({ text, isPhrase }) => (isPhrase ? `-"${text}"` : `-${text}`)),
    ...filters.map(printFilter),
  ].join(' ')
}

type TakenFilters = {
  filters: SearchFilter[]
  /** What remains of the text. */
  rest: string
  /** The same without a filter that is still being typed. */
  words: string
}

/**
 * Takes the filters out of a search, which the search box shows separately; wrong ones stay. With `isTyping`, a filter at
 * the end stays too, because its value may grow, until a space or quotation mark ends it.
 */
export function takeFilters(text: string, isTyping = false): TakenFilters {
  const filters: SearchFilter[] = []
  let unfinished = ''
  const kept = text.replace(searchPart, (part: string, ...groups: unknown[]) => {
    const [, name, phrase, , offset] = groups as [unknown, string?, string?, unknown?, number?]
    if (!name) return part
    const isClosed = Boolean(phrase) && /["“”]$/u.test(part)
    if (isTyping && !isClosed && offset! + part.length === text.length) {
      unfinished = part
      return part
    }
    const found = parseSearch(part).filters
    filters.push(...found)
    return found.length > 0 ? '' : part
  })
  const rest = filters.length > 0 ? kept.replace(/\s+/g, ' ').trimStart() : kept
  return { filters, rest, words: rest.slice(0, rest.length - unfinished.length).trim() }
}

/** Filters come first, because a quotation mark that is not closed yet takes everything after it. */
export function joinSearch(words: string, filters: readonly SearchFilter[]) {
  return [...new Set(filters.map(printFilter)), words].filter(Boolean).join(' ')
}
