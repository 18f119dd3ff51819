import type { Media } from '../../contract.ts'
import { largeWidths } from '../../limits.ts'

/** Renditions below the picture's own width, then the original; a film of frames only as it is. */
export function pictureSources(media: Media): { src: string; srcSet?: string } {
  const { originalUrl, width, isAnimated } = media
  const smaller = width && !isAnimated ? largeWidths.filter((candidate) => candidate < width) : []
  if (smaller.length === 0) return { src: originalUrl }
  const candidates = smaller.map((candidate) => `${originalUrl}?w=${candidate} ${candidate}w`)
  return { src: originalUrl, srcSet: [...candidates, `${originalUrl} ${width}w`].join(', ') }
}

/** Browsers turn a JPEG and a PNG upright, but not a WebP: it comes as high as the item is wide. */
export function liesOnItsSide(media: Media, { naturalWidth, naturalHeight }: HTMLImageElement) {
  if (!media.width || !media.height || media.width === media.height) return false
  return media.width > media.height ? naturalWidth < naturalHeight : naturalWidth > naturalHeight
}

/** Drawn anew, upright: as large as renditions are. */
export const uprightSource = ({ originalUrl }: Media) => `${originalUrl}?w=${largeWidths.at(-1)}`

/** The width to choose a rendition by, in steps of two, so that a turning wheel does not fetch at every notch. */
export function wantedWidth(fittedWidth: number, scale: number): string {
  return `${Math.ceil(fittedWidth * 2 ** Math.ceil(Math.log2(Math.max(1, scale))))}px`
}
