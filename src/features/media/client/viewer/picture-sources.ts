import type { Media } from '../../contract.ts'
import { largeWidths } from '../../limits.ts'

/** Renditions narrower than the picture, then the original. Animated pictures use only the original. */
export function pictureSources(media: Media): { src: string; srcSet?: string } {
  const { originalUrl, width, isAnimated } = media
  const smaller = width && !isAnimated ? largeWidths.filter((candidate) => candidate < width) : []
  if (smaller.length === 0) return { src: originalUrl }
  const candidates = smaller.map((candidate) => `${originalUrl}?w=${candidate} ${candidate}w`)
  return { src: originalUrl, srcSet: [...candidates, `${originalUrl} ${width}w`].join(', ') }
}

/** Browsers apply the EXIF rotation of JPEG and PNG but not of WebP, whose loaded width is then the item's height. */
export function isRotated(media: Media, { naturalWidth, naturalHeight }: HTMLImageElement) {
  if (!media.width || !media.height || media.width === media.height) return false
  return media.width > media.height ? naturalWidth < naturalHeight : naturalWidth > naturalHeight
}

/** A rendition is rotated correctly; this is the largest one. */
export const uprightSource = ({ originalUrl }: Media) => `${originalUrl}?w=${largeWidths.at(-1)}`

/**
 * The `sizes` value for choosing a rendition. Rounded to powers of two, so that zooming does not load one at every wheel
 * event.
 */
export function wantedWidth(fittedWidth: number, scale: number): string {
  return `${Math.ceil(fittedWidth * 2 ** Math.ceil(Math.log2(Math.max(1, scale))))}px`
}
