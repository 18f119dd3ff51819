/** A longer pause is not believed where it would be filled: so much silence fills the memory. */
const longestPauseSeconds = 300

type Stream = { index: number; fillsPauses: boolean }

/**
 * Tells whether a packet may belong where it says. Damaged times lie hours away, and a converter that believed them
 * would write all the hours between. A recording of a screen writes no picture for as long as nothing moves there, so up
 * to the end of the video a pause is none of our business; where the end is not known, it is all there is to go by.
 */
export function createTimeGuard(durationSeconds: number) {
  const hasEnd = durationSeconds > 0
  const end = hasEnd ? durationSeconds * 1.1 + 10 : Number.POSITIVE_INFINITY
  const lastSeconds = new Map<number, number>()

  return function isPlausible({ index, fillsPauses }: Stream, seconds: number) {
    const longestPause = hasEnd && !fillsPauses ? Number.POSITIVE_INFINITY : longestPauseSeconds
    if (seconds > end || seconds > (lastSeconds.get(index) ?? 0) + longestPause) return false
    lastSeconds.set(index, seconds)
    return true
  }
}
