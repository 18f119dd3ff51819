import { formatDuration } from '#shared/duration.ts'
import type { Media } from '../contract.ts'

/** For whoever does not see the picture: what kind of thing it is, and what it shows when somebody has said so. */
export function whatIsSeen({ type, duration, isAnimated, userDescription, aiDescription }: Media) {
  const picture = isAnimated ? 'Animated image' : 'Image'
  const film = duration === null ? 'Video' : `Video, ${formatDuration(duration)}`
  return [type === 'image' ? picture : film, userDescription || aiDescription].filter(Boolean).join('. ')
}
