import type { Row } from '#platform/server/db/tables.ts'

/** Names of derived files; no uploaded file's name begins with a tilde in an address. */
export const derivedNames = {
  // The name states the size: browsers keep what they have under an address for a year.
  thumbnail: '~thumbnail-400.webp',
  sprite: '~sprite.jpg',
  playable: '~playable.mp4',
  preview: '~preview.webp',
} as const

export const isDerivedName = (name: string) => Object.values<string>(derivedNames).includes(name)

/** Where the storage keeps them. */
export const derivedKeys = {
  thumbnail: (blob: string) => `${blob}/thumbnail-400.webp`,
  sprite: (blob: string) => `${blob}/sprite.jpg`,
  playable: (blob: string) => `${blob}/playable.mp4`,
  clean: (blob: string) => `${blob}/clean`,
}

type Addressed = Pick<Row<'media'>, 'id' | 'blob' | 'filename'>

/** [Note: Addresses carry the content's hash] so that what they answer never changes and may be kept for a year. */
export const versionOf = (blob: string) => blob.slice(0, 12)

export const fileAddress = ({ id, blob }: Pick<Row<'media'>, 'id' | 'blob'>, name: string) =>
  `/files/${id}/${versionOf(blob)}/${encodeURIComponent(name)}`

export const originalAddress = (media: Addressed) => fileAddress(media, media.filename.replace(/^~+/, '') || 'file')

/** What is played is the original itself: browsers play it, or nothing better could be made and this or that one may. */
export const playsOriginal = ({ type, playback }: Pick<Row<'media'>, 'type' | 'playback'>) =>
  type === 'video' && (playback === 'as-is' || playback === 'failed')

/** Where a video is played; null for a picture, and while there is nothing to play yet. */
export function playbackAddress(media: Addressed & Pick<Row<'media'>, 'type' | 'playback'>) {
  if (playsOriginal(media)) return originalAddress(media)
  return media.type === 'video' && media.playback === 'rendition' ? fileAddress(media, derivedNames.playable) : null
}

export const publicAddress = (origin: string, slug: string) => `${origin}/public/${slug}`
