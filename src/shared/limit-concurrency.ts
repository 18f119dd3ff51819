/** A gate that lets at most `limit` of the given pieces of work run at once; the others wait in order. */
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
      // The place is handed on, not freed, so that a newcomer cannot slip in between.
      if (next) next()
      else running--
    }
  }
}
