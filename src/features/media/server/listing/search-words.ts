import { fold } from '#shared/fold.ts'
import { umlautPlurals } from '#shared/word-forms.ts'
import type { ParsedSearch } from '../../search-query.ts'
import { type SearchWord, toSearchWord } from './search-index.ts'

/** As many words as a search supports. */
const maxWords = 100

/** A line break between two words counts as a space. */
export const withSpaces = (text: string) => text.replace(/\s+/g, ' ')

/**
 * The words and quoted phrases that must all match. Words of one or two characters match beginnings of words, which contain
 * only letters and digits, so other characters are removed from them, unless nothing else remains.
 */
export function searchWords({ words, phrases }: Pick<ParsedSearch, 'words' | 'phrases'>): SearchWord[] {
  return toWords([...words, ...phrases])
}

/** The words and phrases that must not match. */
export const excludedWords = ({ exclusions }: Pick<ParsedSearch, 'exclusions'>) =>
  toWords(exclusions.map(({ text }) => text))

function toWords(texts: string[]) {
  const words = texts.map((text) => withSpaces(fold(text)).trim()).filter(Boolean)
  const meaningful = words.map((word) => (word.length < 3 ? word.replace(/[^\p{L}\p{N}]/gu, '') : word)).filter(Boolean)
  const umlauts = umlautPlurals(texts.join(' '))
  return [...new Set(meaningful.length > 0 ? meaningful : words)]
    .slice(0, maxWords)
    .map((word) => toSearchWord(word, umlauts.has(word)))
}
