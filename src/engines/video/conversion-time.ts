import type { VideoFacts } from './video-facts.ts'

const startMs = 120_000
/** Twenty times the playing time of 1080p at 30 pictures a second: one busy core at the lowest priority. */
const msPerSecond = 20_000
const longestMs = 12 * 3_600_000

/** Long enough for an honest video on a slow machine, short enough to end what never would. */
export function conversionTimeoutMs(
  facts: Pick<VideoFacts, 'durationSeconds' | 'width' | 'height' | 'framesPerSecond'>,
) {
  const sizeFactor = Math.max(1, (facts.width * facts.height) / (1920 * 1080))
  const rateFactor = Math.max(1, facts.framesPerSecond / 30)
  // Clocks take whole milliseconds.
  return Math.min(longestMs, Math.ceil(startMs + facts.durationSeconds * msPerSecond * sizeFactor * rateFactor))
}
