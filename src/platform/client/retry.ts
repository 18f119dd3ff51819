import { ApiError, messageOf } from './call.ts'

const pauseMs = 5000
/** How long the server may be unreachable before the user is told. */
const maxDowntimeMs = 60_000

/**
 * Repeats a request as long as a gateway with a short timeout, or a broken connection, fails in the server's place.
 * Only for requests that may be repeated; see [Note: A request waits for its run].
 */
export async function retryUntilAnswered<T>(send: () => Promise<T>): Promise<T> {
  let downtimeMs = 0
  for (;;) {
    const sentAt = Date.now()
    try {
      return await send()
    } catch (error) {
      // A gateway that timed out was connected to the server until then; one that fails at once was not.
      downtimeMs = Date.now() - sentAt > pauseMs ? 0 : downtimeMs + pauseMs
      if (isServerError(error) || downtimeMs > maxDowntimeMs) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** True when the server itself has answered, and not a gateway: its errors have a message. */
export const isServerError = (error: unknown) =>
  error instanceof ApiError && (error.status < 500 || messageOf(error, '') !== '')

/** A toast's "Try again" action, offered when no response arrived, since the next attempt may get one. */
export function retryAction(error: unknown, onSelect: () => void) {
  return error instanceof ApiError ? undefined : { label: 'Try again', onSelect }
}
