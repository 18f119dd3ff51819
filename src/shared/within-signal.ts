/** The work's outcome, or the signal's reason as soon as it fires: for work that hears no signal itself. */
export function withinSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
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
