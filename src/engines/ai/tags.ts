import type { AiTag } from './provider.ts'
import { toSingular } from './singular.ts'

const mostTags = 30
const longestTag = 50
/** More words than this are a sentence, and a sentence is no tag. */
const mostWords = 5
/** What is longer was never a tag, however little is left of it. */
const longestRaw = 4 * longestTag

/** A tag in the form that the library keeps, or an empty string when nothing of it can be kept. */
export function cleanTagName(raw: string): string {
  if (raw.length > longestRaw) return ''
  const plain = toPlainWords(raw)
  const words = plain.split(' ').filter(Boolean)
  if (words.length === 0 || words.length > mostWords || plain.length > longestTag) return ''
  return singularPhrase(words)
}

const numberWords = /^(\d+|two|three|four|five|six|seven|eight|nine|ten|many|several|of|and|with)$/

/** Words without a singular, although "bar", "trunk" and "state" exist. */
const plurals: ReadonlySet<string> = new Set(['parallel bars', 'swimming trunks', 'united nations', 'united states'])

/** "red shoes" is about a shoe; "two people", "group of people" and "flesh and bones" are about more than one. */
function singularPhrase(words: string[]): string {
  const phrase = words.join(' ')
  if (plurals.has(phrase) || words.some((word) => numberWords.test(word))) return phrase
  return [...words.slice(0, -1), toSingular(words.at(-1)!)].join(' ')
}

/**
 * Lower-case, singular where natural, each only once with its best score, best first. A tag that the library already
 * uses in another spelling ("T-shirt" for "t shirts") takes the library's; of several vocabularies the first counts most.
 */
export function normaliseTags(tags: AiTag[], ...vocabularies: string[][]): AiTag[] {
  const spellings = vocabularies.map(spellingsOf)
  const spellingOf = (key: string) => spellings.find((known) => known.has(key))?.get(key)
  const best = new Map<string, AiTag>()
  for (const tag of tags) {
    const clean = cleanTagName(tag.name)
    if (!clean) continue
    const key = tagKey(clean)
    const known = best.get(key)
    if (known && known.score >= tag.score) {
      known.count ??= tag.count
      continue
    }
    const count = tag.count ?? known?.count
    const name = spellingOf(key) ?? clean
    best.set(key, { name, score: toScore(tag.score), source: tag.source, ...(count === undefined ? {} : { count }) })
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, mostTags)
}

/** A library's vocabulary is the same array for a while, and preparing it takes many times as long as using it. */
const preparedSpellings = new WeakMap<string[], Map<string, string>>()

function spellingsOf(vocabulary: string[]): Map<string, string> {
  const prepared = preparedSpellings.get(vocabulary)
  if (prepared) return prepared
  const spellings = new Map<string, string>()
  for (const word of vocabulary) {
    const known = toPlainWords(word)
    if (known && known.length <= longestTag && !spellings.has(tagKey(known))) spellings.set(tagKey(known), known)
  }
  preparedSpellings.set(vocabulary, spellings)
  return spellings
}

/** Only Latin accents: in Hindi, Thai or Japanese the marks on a letter make a different word. */
const accentsAndJoiners = /[\u0300-\u036f]|\p{Join_Control}/gu

/** What two spellings of one tag have in common: no accents, no hyphens, singular. */
export function tagKey(name: string): string {
  const words = toPlainWords(name).normalize('NFKD').replace(accentsAndJoiners, '').replace(/[-']/g, ' ').split(' ')
  return words.filter(Boolean).map(toSingular).join(' ')
}

const toPlainWords = (raw: string) =>
  raw
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i') // what becomes of a Turkish İ
    .replace(/[’‘]/g, "'")
    .replace(/[^\p{L}\p{M}\p{N}\p{Join_Control} '-]+|\p{Variation_Selector}+/gu, ' ')
    // What belongs to a letter stays with it; what is left of an emoji belongs to none.
    .replace(/(?<![\p{L}\p{M}\p{N}\p{Join_Control}])[\p{M}\p{Join_Control}]+|\p{Join_Control}+(?![\p{L}\p{M}])/gu, '')
    .replace(/(^|\s)['-]+|(?<!['-])['-]+(?=\s|$)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()

const toScore = (score: number) =>
  Number.isFinite(score) ? Math.round(Math.min(1, Math.max(0, score)) * 100) / 100 : 0
