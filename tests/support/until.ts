import { setTimeout as delay } from 'node:timers/promises'

type NotYet = undefined | null | false
type Patience = { withinMs?: number; everyMs?: number }

/** Asks until there is an answer, and gives it back. What never comes is a failure with a name, not a run without an end. */
export async function until<T>(
  what: string,
  look: () => Promise<T | NotYet> | T | NotYet,
  { withinMs = 5 * 60_000, everyMs = 50 }: Patience = {},
): Promise<T> {
  for (const end = Date.now() + withinMs; ; await delay(everyMs)) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    if (Date.now() > end) throw new Error(`Expected within ${withinMs / 1000} s: ${what}`)
  }
}
