export type HostSlots = {
  /** Does the work once fewer than the permitted number are under way at this host. */
  run<T>(host: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
}

/** At most `limit` pieces of work at once per host, in the order in which they were asked for. */
export function createHostSlots(limit: number): HostSlots {
  const hosts = new Map<string, { taken: number; waiting: Array<() => void> }>()

  async function enter(host: string, signal?: AbortSignal) {
    signal?.throwIfAborted()
    const state = hosts.get(host) ?? { taken: 0, waiting: [] }
    hosts.set(host, state)
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

  function leave(host: string) {
    const state = hosts.get(host)!
    const next = state.waiting.shift()
    // The place passes straight to whoever waits longest.
    if (next) next()
    else if (--state.taken === 0) hosts.delete(host)
  }

  return {
    async run(host, signal, work) {
      await enter(host, signal)
      try {
        return await work()
      } finally {
        leave(host)
      }
    },
  }
}
