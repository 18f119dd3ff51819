import { AsyncLocalStorage } from 'node:async_hooks'
import type { Events } from './events.ts'

/** The condition is also checked periodically, in case an event between processes is lost. */
const pollMs = 1000

type Waiting = { events: Events; ownerId: number; withinMs?: number; signal?: AbortSignal }

/** Resolves when `isOver`, checked at every event of the owner, is true, when time is up, or when the signal aborts. */
export function waitFor({ events, ownerId, withinMs, signal }: Waiting, isOver: () => Promise<boolean>) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isChecking = false
  let isCheckDue = false
  // An event calls the check from the publisher's context, but the condition belongs to the request that waits.
  const check = AsyncLocalStorage.bind(async () => {
    isCheckDue = true
    if (isChecking) return
    isChecking = true
    try {
      // An event during a check may be the decisive one, so another check follows.
      while (isCheckDue) {
        isCheckDue = false
        if (await isOver()) return resolve()
      }
    } catch (error) {
      reject(error)
    } finally {
      isChecking = false
    }
  })
  const stop = () => resolve()
  const unsubscribe = events.subscribe(ownerId, undefined, check)
  const poll = setInterval(check, pollMs)
  const timeout = withinMs === undefined ? undefined : setTimeout(stop, withinMs)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  else void check()
  return promise.finally(() => {
    unsubscribe()
    clearInterval(poll)
    clearTimeout(timeout)
    signal?.removeEventListener('abort', stop)
  })
}
