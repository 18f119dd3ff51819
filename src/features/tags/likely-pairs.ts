type Tag = { name: string; key: string; folded: string }

/**
 * Why two tags are likely the same by their letters; `key` ignores hyphens, accents and plural. Words of few letters differ
 * too easily ("cat", "car"), and so do numbers.
 */
export function likelyReason(one: Tag, other: Tag): 'plural' | 'spelling' | undefined {
  if (one.folded === other.folded || letters(one.folded) === letters(other.folded)) return 'spelling'
  if (one.key === other.key) return isPlural(one, other) ? 'plural' : 'spelling'
  if (digits(one.folded) !== digits(other.folded)) return undefined
  const shortest = Math.min(one.folded.length, other.folded.length)
  const allowed = shortest >= 10 ? 2 : shortest >= 6 ? 1 : 0
  return allowed > 0 && isWithin(one.folded, other.folded, allowed) ? 'spelling' : undefined
}

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
const digits = (text: string) => text.replace(/\D/g, '')
const isPlural = (one: Tag, other: Tag) => one.folded.length !== other.folded.length

/** Whether so few insertions, deletions, replacements or swaps of neighbors make one of the other. */
export function isWithin(one: string, other: string, allowed: number): boolean {
  if (Math.abs(one.length - other.length) > allowed) return false
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  if (start === one.length && start === other.length) return true
  if (allowed === 0) return false
  const [rest, otherRest] = [one.slice(start), other.slice(start)]
  const isSwapped = rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.length > 1
  return (
    (isSwapped && isWithin(rest.slice(2), otherRest.slice(2), allowed - 1)) ||
    isWithin(rest.slice(1), otherRest.slice(1), allowed - 1) ||
    isWithin(rest.slice(1), otherRest, allowed - 1) ||
    isWithin(rest, otherRest.slice(1), allowed - 1)
  )
}
