/** Which item an arrow, Home or End leads to; the ends meet. Undefined for any other key. */
export function itemAfterKey(key: string, current: number, count: number): number | undefined {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (current + 1) % count
  if (key === 'ArrowUp') return current <= 0 ? count - 1 : current - 1
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

/**
 * Which item typed letters lead to. One letter, repeated or not, walks through the items that begin with it;
 * several letters stay at the current item while it still matches.
 */
export function itemAfterTyping(names: readonly string[], typed: string, current: number): number | undefined {
  const letters = typed.toLowerCase()
  const isOneLetter = [...letters].every((letter) => letter === letters[0])
  const wanted = isOneLetter ? letters.slice(0, 1) : letters
  const first = isOneLetter ? current + 1 : Math.max(current, 0)
  for (let step = 0; step < names.length; step++) {
    const index = (first + step) % names.length
    if (names[index]?.trim().toLowerCase().startsWith(wanted)) return index
  }
  return undefined
}
