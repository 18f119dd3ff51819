/** The first one and two letters of every word, each once: what searches of one or two letters look for. */
export function wordBeginnings(text: string) {
  const beginnings = new Set<string>()
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const [first, second] = word
    beginnings.add(first!)
    if (second) beginnings.add(first! + second)
  }
  return [...beginnings]
}

/** Shorter than what a trigram index holds. */
export const isShortWord = (word: string) => [...word].length < 3
