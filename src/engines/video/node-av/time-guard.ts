/** A longer pause counts as damage when the video's length is unknown, and against the limit below when it is filled. */
const maxPauseSeconds = 300
/** Limit for all longer pauses of a video that are filled with silence: a small file could ask for years of it. */
const maxSilenceSeconds = 2 * 3600

type Stream = { index: number; fillsPauses: boolean }

/**
 * Tells whether a packet's timestamp is plausible. Damaged timestamps are often hours off, and a converter that believed them would
 * write all these hours. A screen recording has no packets while nothing moves, so any pause before the video's end is accepted.
 */
export function createTimeGuard(durationSeconds: number) {
  const hasEnd = durationSeconds > 0
  const end = hasEnd ? durationSeconds * 1.1 + 10 : Number.POSITIVE_INFINITY
  const lastSeconds = new Map<number, number>()
  let silenceLeft = maxSilenceSeconds

  return function isPlausible({ index, fillsPauses }: Stream, seconds: number) {
    const pause = seconds - (lastSeconds.get(index) ?? 0)
    if (seconds > end || (pause > maxPauseSeconds && !acceptPause(pause, fillsPauses))) return false
    lastSeconds.set(index, seconds)
    return true
  }

  function acceptPause(pause: number, isFilled: boolean) {
    if (!hasEnd || (isFilled && pause > silenceLeft)) return false
    if (isFilled) silenceLeft -= pause
    return true
  }
}
