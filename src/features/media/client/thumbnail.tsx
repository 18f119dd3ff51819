import Film from 'lucide-react/icons/film'
import ImageIcon from 'lucide-react/icons/image'
import { coverPosition } from '#shared/cover-crop.ts'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import type { Media } from '../contract.ts'
import { pictureText } from './spoken-text.ts'
import { thumbhashUrl } from './thumbhash-url.ts'

type ThumbnailProps = { media: Media; isUrgent?: boolean; className?: string }

/** Shows the thumbnail, or if that fails the original picture, or an icon. A failed video shows the icon immediately. */
export function Thumbnail({ media, isUrgent, className }: ThumbnailProps) {
  const isImage = media.type === 'image'
  return (
    <ImageWithFallback
      sources={isImage ? [media.thumbnailUrl, media.originalUrl] : [media.thumbnailUrl]}
      alt={pictureText(media)}
      placeholderUrl={thumbhashUrl(media.thumbhash)}
      position={squareOf(media)}
      fallbackIcon={isImage ? <ImageIcon aria-hidden="true" /> : <Film aria-hidden="true" />}
      isUrgent={isUrgent}
      className={className}
    />
  )
}

/** What the card's square shows of a picture that is not square. */
function squareOf({ width, height, focalPoint }: Media) {
  if (!focalPoint || !width || !height) return undefined
  return coverPosition({ width, height }, { width: 1, height: 1 }, focalPoint)
}
