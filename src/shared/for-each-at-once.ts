/** Does the work for every item, so many at once. After the first fault nothing more is begun; it is thrown when all have ended. */
export async function forEachAtOnce<T>(items: Iterable<T>, limit: number, work: (item: T) => Promise<unknown>) {
  const queue = items[Symbol.iterator]()
  let hasFailed = false

  async function workThrough() {
    for (let next = queue.next(); !next.done && !hasFailed; next = queue.next()) {
      await work(next.value).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  const endings = await Promise.allSettled(Array.from({ length: limit }, workThrough))
  const failed = endings.find((ending) => ending.status === 'rejected')
  if (failed) throw failed.reason
}
