/** The item that an arrow key, Home or End leads to, wrapping around; undefined for other keys. */
export function itemAfterKey(key: string, current: number, count: number): number | undefined {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (current + 1) % count
  if (key === 'ArrowUp') return current <= 0 ? count - 1 : current - 1
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

/**
 * The item that typed letters lead to. One letter, also repeated, cycles through the items that begin with it; several letters
 * keep the current item while it still matches.
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
