export type ByteReader = ReturnType<typeof createByteReader>

/** Bytes on their way, taken in portions of a length that is known. */
export function createByteReader(source: AsyncIterator<Buffer>) {
  let held: Buffer = Buffer.alloc(0)
  let position = 0

  /** Says whether so many bytes are at hand; fewer are all that there are. */
  async function hold(count: number) {
    while (held.length < count) {
      const { done, value } = await source.next()
      if (done) return false
      held = held.length === 0 ? value : Buffer.concat([held, value])
    }
    return true
  }

  function pass(count: number) {
    const passed = held.subarray(0, count)
    held = held.subarray(passed.length)
    position += passed.length
    return passed
  }

  /** The next bytes, which stay; fewer where there are no more. */
  async function peek(count: number) {
    await hold(count)
    return held.subarray(0, count)
  }

  /** Null where there are fewer. */
  async function take(count: number) {
    return (await hold(count)) ? pass(count) : null
  }

  /** So many, as they come, or fewer where there are no more. */
  async function* pieces(count: number): AsyncGenerator<Buffer, void, void> {
    const end = position + count
    while (position < end && (await hold(1))) yield pass(end - position)
  }

  return {
    peek,
    take,
    pieces,
    rest: () => pieces(Number.POSITIVE_INFINITY),
    get position() {
      return position
    },
  }
}
