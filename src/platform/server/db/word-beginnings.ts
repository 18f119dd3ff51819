const letter = '[\\p{L}\\p{N}]'
/** Writing without spaces: a word may begin at any of its signs. */
const unspaced = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]'
const beginning = new RegExp(`(?:(?<!${letter})|(?=${unspaced}))(${letter})(?=(${letter})?)`, 'gu')

/** The first one and two letters of every word, each once: what searches of one or two letters look for. */
export function wordBeginnings(text: string) {
  const beginnings = new Set<string>()
  for (const [, first, second] of text.matchAll(beginning)) {
    beginnings.add(first!)
    if (second) beginnings.add(first! + second)
  }
  return [...beginnings]
}

/** Shorter than what a trigram index holds. */
export const isShortWord = (word: string) => [...word].length < 3
