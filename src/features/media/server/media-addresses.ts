import type { Row } from '#platform/server/db/tables.ts'

/** Names of derived files. In an address no uploaded file's name begins with a tilde. */
export const derivedNames = {
  // The name includes the size, as browsers cache an address for a year.
  thumbnail: '~thumbnail-400.webp',
  sprite: '~sprite.jpg',
  playable: '~playable.mp4',
  preview: '~preview.webp',
  cutOut: '~no-background.webp',
  linkPreview: '~link-preview.jpg',
} as const

export const isDerivedName = (name: string) => Object.values<string>(derivedNames).includes(name)

export const uncleanablePrefix = 'uncleanable-'

/** The storage keys of derived files. */
export const derivedKeys = {
  thumbnail: (blob: string) => `${blob}/thumbnail-400.webp`,
  sprite: (blob: string) => `${blob}/sprite.jpg`,
  playable: (blob: string) => `${blob}/playable.mp4`,
  /** The number rises when the rules become stricter, so that no copy by earlier rules is served. */
  clean: (blob: string) => `${blob}/clean-2`,
  uncleanable: (blob: string) => `${blob}/${uncleanablePrefix}2`,
}

type Addressed = Pick<Row<'media'>, 'id' | 'blob' | 'filename'>

/**
 * [Note: Addresses carry the content's hash]
 * The content of an address never changes, so it can be cached for a year.
 */
export const versionOf = (blob: string) => blob.slice(0, 12)

export const fileAddress = ({ id, blob }: Pick<Row<'media'>, 'id' | 'blob'>, name: string) =>
  `/files/${id}/${versionOf(blob)}/${encodeURIComponent(name)}`

export const originalAddress = (media: Addressed) => fileAddress(media, media.filename.replace(/^~+/, '') || 'file')

/**
 * Whether the original itself is played: browsers support it, or no better version could be created and it may still play.
 */
export const playsOriginal = ({ type, playback }: Pick<Row<'media'>, 'type' | 'playback'>) =>
  type === 'video' && (playback === 'as-is' || playback === 'failed')

/** The address of the playable video; null for pictures and while there is none yet. */
export function playbackAddress(media: Addressed & Pick<Row<'media'>, 'type' | 'playback'>) {
  if (playsOriginal(media)) return originalAddress(media)
  return media.type === 'video' && media.playback === 'rendition' ? fileAddress(media, derivedNames.playable) : null
}

/** See the delivery feature. */
export const deliveredPath = (slug: string) => `/i/${slug}`

export const publicAddress = (origin: string, slug: string) => `${origin}/public/${slug}`
