/** What images can be converted to; the first is the default. */
export const conversionFormats = {
  webp: { name: 'WebP', article: 'a', mimeType: 'image/webp', extension: '.webp' },
  jpeg: { name: 'JPEG', article: 'a', mimeType: 'image/jpeg', extension: '.jpg' },
  avif: { name: 'AVIF', article: 'an', mimeType: 'image/avif', extension: '.avif' },
} as const
export type ConversionFormat = keyof typeof conversionFormats
export const formatNames = Object.keys(conversionFormats) as [ConversionFormat, ...ConversionFormat[]]
