import { formatDuration } from '#shared/duration.ts'
import type { Media } from '../contract.ts'

/** Alternative text: the kind of item, and its description if there is one. */
export function altTextOf({ type, duration, isAnimated, userDescription, aiDescription }: Media) {
  const picture = isAnimated ? 'Animated image' : 'Image'
  const film = duration === null ? 'Video' : `Video, ${formatDuration(duration)}`
  return [type === 'image' ? picture : film, userDescription || aiDescription].filter(Boolean).join('. ')
}
