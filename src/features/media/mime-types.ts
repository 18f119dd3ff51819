/** The types that can be uploaded, which are detected from the bytes. */
export const uploadMimeTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/quicktime',
  'video/x-msvideo',
] as const

/** The types of items. Only conversions make AVIF, so its decoder reads no file from outside. */
const mediaMimeTypes = [...uploadMimeTypes, 'image/avif'] as const
export type MediaMimeType = (typeof mediaMimeTypes)[number]

/** The most common extension first. */
const extensions: Record<MediaMimeType, [usual: string, ...others: string[]]> = {
  'image/jpeg': ['.jpg', '.jpeg', '.jpe', '.jfif'],
  'image/png': ['.png'],
  'image/gif': ['.gif'],
  'image/webp': ['.webp'],
  'image/avif': ['.avif'],
  'video/mp4': ['.mp4', '.m4v'],
  'video/quicktime': ['.mov', '.qt'],
  'video/x-msvideo': ['.avi'],
}

/** For the `accept` of a file input. */
export const acceptedOf = (type: 'image' | 'video') =>
  uploadMimeTypes.filter((candidate) => mediaTypeOf(candidate) === type).join(',')

/** The usual extension of a type, without its dot. */
export const extensionOf = (mimeType: MediaMimeType) => extensions[mimeType][0].slice(1)

export const canBeUploaded = (mimeType: MediaMimeType) => (uploadMimeTypes as readonly string[]).includes(mimeType)

export const isMediaMimeType = (name: string): name is MediaMimeType =>
  (mediaMimeTypes as readonly string[]).includes(name)

export const mediaTypeOf = (mimeType: MediaMimeType) => (mimeType.startsWith('image/') ? 'image' : 'video')

/** A name without an extension of its type gets the correct one appended: `photo.exe` becomes `photo.exe.jpg`. */
export function fitExtension(filename: string, mimeType: MediaMimeType) {
  const ending = filename.toLowerCase()
  const isFitting = fitting[mediaTypeOf(mimeType)].some((extension) => ending.endsWith(extension))
  return isFitting ? filename : filename + extensions[mimeType][0]
}

/** Without their dots. */
export const extensionsOfType = (mimeType: string) =>
  isMediaMimeType(mimeType) ? extensions[mimeType].map((extension) => extension.slice(1)) : []

const extensionsOf = (type: 'image' | 'video') =>
  mediaMimeTypes.filter((candidate) => mediaTypeOf(candidate) === type).flatMap((candidate) => extensions[candidate])
const fitting = { image: extensionsOf('image'), video: extensionsOf('video') }

/** Whether a download of this type can contain the words of its item. */
export const holdsWords = (mimeType: string) => /^image\/(jpeg|png|webp)$/.test(mimeType)
