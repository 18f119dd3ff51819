/** What an item can be; its bytes decide. */
export const mediaMimeTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/quicktime',
  'video/x-msvideo',
] as const
export type MediaMimeType = (typeof mediaMimeTypes)[number]

export const isMediaMimeType = (name: string): name is MediaMimeType =>
  (mediaMimeTypes as readonly string[]).includes(name)
