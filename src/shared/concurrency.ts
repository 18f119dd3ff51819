/** Returns a function that runs at most `limit` pieces of work at once; the others wait in order. */
export function limitConcurrency(limit: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The slot passes directly to the next waiter, so that a later caller cannot take it first.
      if (next) next()
      else running--
    }
  }
}

/** Runs `work` for every item, `limit` at a time. After the first failure no further item starts; it is thrown once all have ended. */
export async function forEachConcurrently<T>(items: Iterable<T>, limit: number, work: (item: T) => Promise<unknown>) {
  const queue = items[Symbol.iterator]()
  let hasFailed = false

  async function drainQueue() {
    for (let next = queue.next(); !next.done && !hasFailed; next = queue.next()) {
      await work(next.value).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  const endings = await Promise.allSettled(Array.from({ length: limit }, drainQueue))
  const failed = endings.find((ending) => ending.status === 'rejected')
  if (failed) throw failed.reason
}

export type KeyedLimit = {
  /** Runs the work as soon as fewer than `limit` pieces of work are running for this key. */
  run<T>(key: string | number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
}

/** Runs at most `limit` pieces of work at once for each key, such as a host or a user, in the order of the calls. */
export function limitConcurrencyPerKey(limit: number): KeyedLimit {
  const states = new Map<string | number, { taken: number; waiting: Array<() => void> }>()

  async function enter(key: string | number, signal?: AbortSignal) {
    signal?.throwIfAborted()
    const state = states.get(key) ?? { taken: 0, waiting: [] }
    states.set(key, state)
    if (state.taken < limit) {
      state.taken++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const admit = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      state.waiting.splice(state.waiting.indexOf(admit), 1)
      reject(signal?.reason)
    }
    state.waiting.push(admit)
    signal?.addEventListener('abort', giveUp, { once: true })
    await promise
  }

  function leave(key: string | number) {
    const state = states.get(key)!
    const next = state.waiting.shift()
    // The slot passes directly to the caller that has waited longest.
    if (next) next()
    else if (--state.taken === 0) states.delete(key)
  }

  return {
    async run(key, signal, work) {
      await enter(key, signal)
      try {
        return await work()
      } finally {
        leave(key)
      }
    },
  }
}

/** Rejects with the signal's reason as soon as it aborts, for work that takes no signal itself. */
export function raceAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return Promise.race([work, promise]).finally(() => {
    signal.removeEventListener('abort', stop)
    work.catch(() => {})
    promise.catch(() => {})
  })
}
