import { splitExtension, uniqueNames } from './filenames.ts'
import { transliterate } from './transliterate.ts'

/** The whole name, with its extension: search results and file lists cut longer ones off. */
export const maxWebNameLength = 60
export const maxPatternLength = 200

export const patternFacts = ['website', 'subject', 'collection', 'date', 'n'] as const
type PatternFact = (typeof patternFacts)[number]

/** For everything without a pattern of its own. Facts that are not known are left out. */
export const defaultNamePattern = '{website}-{subject}'

type NameFacts = {
  website?: string
  /** What the picture shows. Without a usable letter it is "image". */
  subject?: string
  collection?: string
  /** As YYYY-MM-DD. */
  date?: string
  /** The number in the batch, from 1, and how many there are. */
  n?: number
  count?: number
}

type Part = { fact: PatternFact } | { words: string }
type ParsedPattern = { parts: Part[]; problem?: undefined } | { problem: string }

const example = `Use ${patternFacts.map((fact) => `{${fact}}`).join(', ')} and your own words.`

/** Returns the parts of a pattern, or a sentence that says what is wrong with it. */
export function parsePattern(pattern: string): ParsedPattern {
  if (pattern.length > maxPatternLength) return { problem: `A pattern can have up to ${maxPatternLength} characters.` }
  const parts: Part[] = []
  for (const [whole, inBraces] of pattern.matchAll(/\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    const fact = inBraces?.trim().toLowerCase()
    if (whole === '{' || whole === '}') return { problem: `The pattern has a brace without its pair. ${example}` }
    if (fact === undefined) parts.push({ words: whole })
    else if (isFact(fact)) parts.push({ fact })
    else return { problem: `The pattern cannot contain {${inBraces}}. ${example}` }
  }
  if (parts.some((part) => 'fact' in part || transliterate(part.words))) return { parts }
  return { problem: `The pattern has no words. ${example}` }
}

const isFact = (text: string): text is PatternFact => (patternFacts as readonly string[]).includes(text)

const fallbackSubject = 'image'
const reservedByWindows = /^(con|prn|aux|nul|com\d|lpt\d)$/
/** Only this many characters of a fact are read. */
const longestRead = 400

const toSlug = (text: string) => transliterate(text.slice(0, longestRead)).replaceAll(' ', '-')

/**
 * A name for the web: lower case, words joined by hyphens, at most 60 characters with the extension of `filename`. A
 * pattern with a problem counts as the default.
 */
export function nameFrom(pattern: string | ParsedPattern, facts: NameFacts, filename = ''): string {
  const parsed = typeof pattern === 'string' ? parsePattern(pattern) : pattern
  const parts = 'parts' in parsed ? parsed.parts : defaultParts
  const extension = webExtension(filename)
  const stem = fit(parts, slugsOf(facts), maxWebNameLength - extension.length) || fallbackSubject
  return (reservedByWindows.test(stem) ? `${stem}-${fallbackSubject}` : stem) + extension
}

const defaultParts = (parsePattern(defaultNamePattern) as { parts: Part[] }).parts

/** Lower case, as the rest of the name; the type of the file stays. */
function webExtension(filename: string) {
  const extension = splitExtension(filename).extension.toLowerCase()
  return /^\.[a-z0-9]+$/.test(extension) ? extension : ''
}

type Slugs = Record<PatternFact, string>

function slugsOf({ website = '', subject = '', collection = '', date = '', n, count = 1 }: NameFacts): Slugs {
  const slugs = {
    website: toSlug(website),
    subject: toSlug(subject) || fallbackSubject,
    collection: toSlug(collection),
    date: toSlug(date),
    n: n === undefined ? '' : String(n).padStart(String(count).length, '0'),
  }
  // A subject may already begin with the website, such as after an earlier run.
  const isInSubject = (slug: string) => `-${slugs.subject}-`.includes(`-${slug}-`)
  if (isInSubject(slugs.website)) slugs.website = ''
  if (isInSubject(slugs.collection)) slugs.collection = ''
  return slugs
}

/** A name that is too long loses words of its subject, collection and website, in this order, before any number. */
function fit(parts: Part[], slugs: Slugs, room: number): string {
  const shortened = { ...slugs }
  for (const fact of ['subject', 'collection', 'website'] as const) {
    const excess = join(parts, shortened).length - room
    if (excess <= 0) break
    const firstWord = fact === 'subject' ? shortened.subject.split('-', 1)[0]!.slice(0, 20) : ''
    shortened[fact] = cutWords(shortened[fact], shortened[fact].length - excess) || firstWord
  }
  return cutWords(join(parts, shortened), room)
}

function join(parts: Part[], slugs: Slugs): string {
  const text = parts.map((part) => ('fact' in part ? slugs[part.fact] : hyphenated(part.words))).join('')
  return text.replace(/-+/g, '-').replace(/^-|-$/g, '')
}

/** A separator at the edge of the words stays one, so that "{website} in {collection}" has hyphens. */
function hyphenated(words: string) {
  const slug = toSlug(words)
  if (!slug) return '-'
  const isJoined = (edge: string) => /[\p{L}\p{N}]/u.test(edge)
  return `${isJoined(words.at(0)!) ? '' : '-'}${slug}${isJoined(words.at(-1)!) ? '' : '-'}`
}

/** As many whole words as fit; a first word that is too long is cut. */
function cutWords(slug: string, length: number): string {
  if (slug.length <= length) return slug
  if (length <= 0) return ''
  const end = slug.lastIndexOf('-', length)
  return end > 0 ? slug.slice(0, end) : slug.slice(0, length)
}

/** Returns a function that makes each web name of a batch unique: "red-shoe.jpg", then "red-shoe-2.jpg". */
export const uniqueWebNames = () => uniqueNames(numberedWebName)

/** A web name with a number that makes it unique. */
export function numberedWebName(name: string, count: number) {
  const { stem, extension } = splitExtension(name)
  const ending = `-${count}${extension}`
  return cutWords(stem, maxWebNameLength - ending.length) + ending
}
