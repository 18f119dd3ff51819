/** A longer pause is damage where the end is not known, and is counted where it is filled. */
const longestPauseSeconds = 300
/** All longer pauses of a video together that are filled with silence: a small file could ask for years of it. */
const mostSilenceSeconds = 2 * 3600

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
  let silenceLeft = mostSilenceSeconds

  return function isPlausible({ index, fillsPauses }: Stream, seconds: number) {
    const pause = seconds - (lastSeconds.get(index) ?? 0)
    if (seconds > end || (pause > longestPauseSeconds && !mayPause(pause, fillsPauses))) return false
    lastSeconds.set(index, seconds)
    return true
  }

  function mayPause(pause: number, isFilled: boolean) {
    if (!hasEnd || (isFilled && pause > silenceLeft)) return false
    if (isFilled) silenceLeft -= pause
    return true
  }
}
