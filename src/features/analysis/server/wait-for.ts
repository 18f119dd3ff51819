import type { Events } from '#platform/server/events/events.ts'

/** Even when a word between processes is lost, whoever waits looks again. */
const lookAgainMs = 1000

type Waiting = { events: Events; ownerId: number; withinMs: number; signal?: AbortSignal }

/** Resolves with true when `isOver` does, asked at every event of the owner; with false when the time is up. */
export function waitFor({ events, ownerId, withinMs, signal }: Waiting, isOver: () => Promise<boolean>) {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      if (await isOver()) resolve(true)
    } catch (error) {
      reject(error)
    } finally {
      isLooking = false
    }
  }
  const leave = () => resolve(false)
  const unsubscribe = events.subscribe(ownerId, undefined, look)
  const again = setInterval(look, lookAgainMs)
  const patience = setTimeout(leave, withinMs)
  signal?.addEventListener('abort', leave, { once: true })
  void look()
  return promise.finally(() => {
    unsubscribe()
    clearInterval(again)
    clearTimeout(patience)
    signal?.removeEventListener('abort', leave)
  })
}
