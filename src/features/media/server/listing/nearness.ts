const isLetter = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)

type Nearness = 0 | 1 | 2

/**
 * How far a name is from the words that were looked for, all of which it holds: 0 when each stands there as a word, 1 when
 * each at least begins one, 2 when one is only somewhere inside ("cat" in "vacation").
 */
export function nearnessOf(name: string, words: string[]): Nearness {
  // The farthest counts; no other number can come of these.
  return Math.max(...words.map((word) => nearnessOfWord(name, word))) as Nearness
}

function nearnessOfWord(name: string, word: string): Nearness {
  let nearest: Nearness = 2
  for (let start = name.indexOf(word); start !== -1; start = name.indexOf(word, start + 1)) {
    const end = start + word.length
    if (isLetter(word[0]) && isLetter(name[start - 1])) continue
    if (!isLetter(word.at(-1)) || !isLetter(name[end])) return 0
    nearest = 1
  }
  return nearest
}
