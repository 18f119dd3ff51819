/** A longer pause inside a stream comes from damage; filling it with silence would fill the memory. */
const longestPauseSeconds = 300

/**
 * Tells whether a packet may belong where it says. Damaged times lie hours away, and a converter that believed them
 * would write all the hours between.
 */
export function createTimeGuard(durationSeconds: number) {
  const end = durationSeconds > 0 ? durationSeconds * 1.1 + 10 : Number.POSITIVE_INFINITY
  const lastSeconds = new Map<number, number>()

  return function isPlausible(streamIndex: number, seconds: number) {
    if (seconds > end || seconds > (lastSeconds.get(streamIndex) ?? 0) + longestPauseSeconds) return false
    lastSeconds.set(streamIndex, seconds)
    return true
  }
}
