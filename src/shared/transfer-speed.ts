import { formatBytes } from './bytes.ts'

/** How many bytes had been transferred at a time. */
export type SpeedSample = { atMs: number; bytes: number }

/** The speed is averaged over this window: long enough to be steady, short enough to follow changes. */
const windowMs = 5000
/** A shorter measurement would be a guess. */
const minMeasuredMs = 1000

/** Adds a sample and drops those that have left the window. */
export function addSpeedSample(samples: readonly SpeedSample[], sample: SpeedSample): SpeedSample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= windowMs), sample]
}

/** Bytes per second, or undefined while there are too few samples. */
export function averageSpeed(samples: readonly SpeedSample[]): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.atMs - first.atMs < minMeasuredMs) return undefined
  const speed = ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1000
  return speed > 0 ? speed : undefined
}

/** "20 s left", "3 min left", "1 h 5 min left". */
export function formatTimeLeft(seconds: number): string {
  if (seconds < 59.5) return `${Math.max(1, Math.round(seconds))} s left`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min left`
  const rest = minutes % 60
  return rest === 0 ? `${minutes / 60} h left` : `${Math.floor(minutes / 60)} h ${rest} min left`
}

/** A shorter remaining time is over before it can be read. */
const minShownSeconds = 2

/** "3.1 MB/s · 20 s left", or undefined if the transfer is nearly done. */
export function describeTransfer(speed: number | undefined, bytesLeft: number): string | undefined {
  if (speed === undefined || bytesLeft <= 0) return undefined
  const secondsLeft = bytesLeft / speed
  if (secondsLeft < minShownSeconds) return undefined
  return `${formatBytes(speed)}/s · ${formatTimeLeft(secondsLeft)}`
}
