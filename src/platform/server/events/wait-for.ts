import type { Events } from './events.ts'

/** Even when a word between processes is lost, whoever waits looks again. */
const lookAgainMs = 1000

type Waiting = { events: Events; ownerId: number; withinMs?: number; signal?: AbortSignal }

/** Until `isOver`, asked at every event of the owner, says so, or the time is up, or nobody waits any more. */
export function waitFor({ events, ownerId, withinMs, signal }: Waiting, isOver: () => Promise<boolean>) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isLooking = false
  let isDue = false
  const look = async () => {
    isDue = true
    if (isLooking) return
    isLooking = true
    try {
      // What is said during a look may be the end: then one more follows.
      while (isDue) {
        isDue = false
        if (await isOver()) return resolve()
      }
    } catch (error) {
      reject(error)
    } finally {
      isLooking = false
    }
  }
  const leave = () => resolve()
  const unsubscribe = events.subscribe(ownerId, undefined, look)
  const again = setInterval(look, lookAgainMs)
  const patience = withinMs === undefined ? undefined : setTimeout(leave, withinMs)
  signal?.addEventListener('abort', leave, { once: true })
  if (signal?.aborted) leave()
  else void look()
  return promise.finally(() => {
    unsubscribe()
    clearInterval(again)
    clearTimeout(patience)
    signal?.removeEventListener('abort', leave)
  })
}
