/** What images can be converted to; the first is the default. */
export const conversionFormats = {
  webp: { name: 'WebP', article: 'A WebP', mimeType: 'image/webp', extension: '.webp' },
  jpeg: { name: 'JPEG', article: 'A JPEG', mimeType: 'image/jpeg', extension: '.jpg' },
} as const
export type ConversionFormat = keyof typeof conversionFormats
export const formatNames = Object.keys(conversionFormats) as [ConversionFormat, ...ConversionFormat[]]
