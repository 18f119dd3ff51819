/** Rings are never lost: one that comes while nobody waits ends the next wait at once. */
export function createBell(signal: AbortSignal) {
  let hasRung = false
  let wake = () => {}
  const ring = () => {
    hasRung = true
    wake()
  }
  signal.addEventListener('abort', ring, { once: true })

  return {
    ring,
    /** True when it rang, false when `withinMs` passed in silence. */
    async wait(withinMs: number): Promise<boolean> {
      if (!hasRung) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, withinMs)
        wake = resolve
        await promise
        clearTimeout(timer)
      }
      const isNews = hasRung
      hasRung = false
      return isNews
    },
  }
}
