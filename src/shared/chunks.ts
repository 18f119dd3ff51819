/** A list in parts of at most `size`, one after another. */
export function* chunksOf<T>(list: readonly T[], size: number) {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}
