/** Runs work of the same key one after the other, and of different keys side by side. */
export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createOneAtATime(): OneAtATime {
  const lasts = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = lasts.get(key)
    const mine = (before ?? Promise.resolve()).then(work, work)
    lasts.set(key, mine)
    try {
      return await mine
    } finally {
      if (lasts.get(key) === mine) lasts.delete(key)
    }
  }
}
