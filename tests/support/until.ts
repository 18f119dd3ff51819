import { setTimeout as delay } from 'node:timers/promises'

type NotYet = undefined | null | false
type UntilOptions = { withinMs?: number; everyMs?: number }

/** Calls `look` until it returns a value, and returns that; fails with `what` when the time is over. */
export async function until<T>(
  what: string,
  look: () => Promise<T | NotYet> | T | NotYet,
  { withinMs = 5 * 60_000, everyMs = 50 }: UntilOptions = {},
): Promise<T> {
  for (const end = Date.now() + withinMs; ; await delay(everyMs)) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    if (Date.now() > end) throw new Error(`Expected within ${withinMs / 1000} s: ${what}`)
  }
}
