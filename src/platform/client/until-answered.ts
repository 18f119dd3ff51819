import { ApiError, messageOf } from './call.ts'

const pauseMs = 5000
/** Whoever is told nothing for so long wants to know. */
const patienceMs = 60_000

/**
 * Asks again as long as something on the way (a proxy that waits for a minute only, a connection that breaks) answers
 * in the server's place. Only for what may be asked twice; see [Note: A request waits for its run].
 */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  let lostMs = 0
  for (;;) {
    const askedAt = Date.now()
    try {
      return await ask()
    } catch (error) {
      // A proxy that lost its patience had the server's ear until then; one that refuses at once had not.
      lostMs = Date.now() - askedAt > pauseMs ? 0 : lostMs + pauseMs
      if (isOfTheServer(error) || lostMs > patienceMs) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** What the server itself refuses has a sentence for a person. */
export const isOfTheServer = (error: unknown) =>
  error instanceof ApiError && (error.status < 500 || messageOf(error, '') !== '')
