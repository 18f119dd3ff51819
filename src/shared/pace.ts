import { formatBytes } from './bytes.ts'

/** How many bytes had gone at a moment. */
export type Sample = { atMs: number; bytes: number }

/** How far back the speed looks: long enough to be calm, short enough to be true. */
const windowMs = 5000
/** Before this the speed is a guess. */
const leastMs = 1000

/** The samples that count for the speed once this one is there. */
export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= windowMs), sample]
}

/** Bytes a second, or undefined while too little is known. */
export function speedOf(samples: readonly Sample[]): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.atMs - first.atMs < leastMs) return undefined
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

/** Shorter waits than this need no announcement. */
const worthTellingSeconds = 2

/** "3.1 MB/s · 20 s left", or nothing where it would be gone before it is read. */
export function paceWords(speed: number | undefined, bytesLeft: number): string | undefined {
  if (speed === undefined || bytesLeft <= 0) return undefined
  const secondsLeft = bytesLeft / speed
  if (secondsLeft < worthTellingSeconds) return undefined
  return `${formatBytes(speed)}/s · ${formatTimeLeft(secondsLeft)}`
}
