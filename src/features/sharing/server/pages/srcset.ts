import { largeWidths } from '#features/media/limits.ts'
import { isIcon, thumbnailSize } from '#shared/image-sizes.ts'
import type { PublicMedia } from '../../contract.ts'

const gridWidths = [640, 960]

type Sized = Pick<PublicMedia, 'originalUrl' | 'thumbnailUrl' | 'width' | 'height' | 'type' | 'isAnimated'>

/** For the grid: WebP only, since encoding AVIF costs more than it saves at this size. */
export function gridSrcset(media: Sized) {
  if (media.type === 'video' || !media.width || !media.height) return undefined
  const size = { width: media.width, height: media.height }
  // With widths in its srcset an icon would be stretched.
  if (isIcon(size)) return undefined
  const { width } = thumbnailSize(size)
  const larger = gridWidths.filter((candidate) => candidate > width)
  return [`${media.thumbnailUrl} ${width}w`, ...candidates(media, larger, 'webp')].join(', ')
}

/** For a full screen. AVIF renditions would lose an animation. */
export function largeSrcset(media: Sized, format: 'avif' | 'webp') {
  if (media.type === 'video' || (media.isAnimated && format === 'avif')) return undefined
  return candidates(media, largeWidths, format).join(', ')
}

function candidates({ width, ...media }: Sized, widths: readonly number[], format: string) {
  const useful = widths.filter((_width, index) => !width || index === 0 || widths[index - 1]! < width)
  return useful.map(
    (candidate) => `${renditionOf(media, candidate, format)} ${Math.min(candidate, width ?? candidate)}w`,
  )
}

export function renditionOf({ originalUrl }: Pick<PublicMedia, 'originalUrl'>, width: number, format: string) {
  return `${originalUrl.split('?')[0]}?w=${width}&format=${format}`
}
