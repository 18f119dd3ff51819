export type Slots = {
  /** Does the work once fewer than the permitted number are under way for this one. */
  run<T>(key: string | number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
}

/** At most `limit` pieces of work at once for each host or person, in the order in which they were asked for. */
export function createSlots(limit: number): Slots {
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
    // The place passes straight to whoever waits longest.
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
