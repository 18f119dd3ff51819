/** Up to two letters: the initials of the first and last word, or the first two letters of a single word. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean)
  const first = [...(words[0] ?? '')]
  const last = [...(words.length > 1 ? words.at(-1)! : '')]
  const letters = last.length > 0 ? [first[0], last[0]] : first.slice(0, 2)
  return letters.join('').toUpperCase() || '?'
}
