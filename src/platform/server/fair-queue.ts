import { unavailable } from '#platform/errors.ts'

type Limits = {
  /** How much work runs at once. */
  concurrency: number
  maxWaiting: number
  maxWaitingPerKey: number
  /** Work that has not started by then is refused. */
  maxWaitMs: number
}

type Waiter = { start(): void; refuse(): void; timer: NodeJS.Timeout }

const busy = () => unavailable('The server is busy making other images. Please try again in a moment.', 5)

/**
 * Work of many callers, who take turns: one who asks for a thousand things delays another by one thing at most. What
 * exceeds a limit is refused at once with a 503.
 */
export function createFairQueue({ concurrency, maxWaiting, maxWaitingPerKey, maxWaitMs }: Limits) {
  /** The next turn belongs to the first key; a key that had its turn goes to the end. */
  const queues = new Map<string, Waiter[]>()
  let waiting = 0
  let running = 0

  function enter(key: string) {
    if (running < concurrency) {
      running++
      return Promise.resolve()
    }
    const queue = queues.get(key) ?? []
    if (waiting >= maxWaiting || queue.length >= maxWaitingPerKey) return Promise.reject(busy())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = {
      start: resolve,
      refuse: () => reject(busy()),
      timer: setTimeout(() => giveUp(key, waiter), maxWaitMs).unref(),
    }
    queue.push(waiter)
    queues.set(key, queue)
    waiting++
    return promise
  }

  function giveUp(key: string, waiter: Waiter) {
    const queue = queues.get(key)!
    queue.splice(queue.indexOf(waiter), 1)
    if (queue.length === 0) queues.delete(key)
    waiting--
    waiter.refuse()
  }

  function leave() {
    const [key, queue] = queues.entries().next().value ?? []
    if (key === undefined || !queue) {
      running--
      return
    }
    const waiter = queue.shift()!
    queues.delete(key)
    if (queue.length > 0) queues.set(key, queue)
    waiting--
    clearTimeout(waiter.timer)
    // The slot passes directly to the next caller.
    waiter.start()
  }

  return {
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      await enter(key)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

export type FairQueue = ReturnType<typeof createFairQueue>
