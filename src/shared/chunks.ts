/** Splits a list into parts of at most `size`. */
export function* chunksOf<T>(list: readonly T[], size: number) {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}

/** Collects the items of an async iterable into parts of at most `size`. */
export async function* batchesOf<T>(items: AsyncIterable<T>, size: number) {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
