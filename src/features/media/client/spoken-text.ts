import { formatDuration } from '#shared/duration.ts'
import { findDescription } from '../alt-text.ts'
import type { Media } from '../contract.ts'

/** For the `alt` of the item's picture in the library, where the item's name stands next to it. */
export const pictureText = (media: Media) => describedTo(media) ?? media.filename

/** The kind of item, and what it shows if that is known. */
export function spokenTextOf(media: Media) {
  const { type, duration, isAnimated } = media
  const picture = isAnimated ? 'Animated image' : 'Image'
  const film = duration === null ? 'Video' : `Video, ${formatDuration(duration)}`
  return [type === 'image' ? picture : film, describedTo(media)].filter(Boolean).join('. ')
}

const describedTo = (media: Media) => findDescription(media, [...navigator.languages, '*'])?.text
