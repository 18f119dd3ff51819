import type { Media } from '#features/media/contract.ts'
import { coverCrop, type FocalPoint } from '#shared/cover-crop.ts'
import { fitPicture, isCrop, type WantedSize } from '#shared/fit-picture.ts'
import { classNames } from '#ui/class-names.ts'

type CroppedPictureProps = {
  media: Pick<Media, 'width' | 'height' | 'thumbnailUrl'>
  wanted: WantedSize
  focalPoint: FocalPoint | null
  className?: string
}

/** The picture as a size shows it, from its thumbnail: it follows every change without a request. */
export function CroppedPicture({ media, wanted, focalPoint, className }: CroppedPictureProps) {
  const picture = { width: media.width ?? 400, height: media.height ?? 400 }
  const size = fitPicture(picture, wanted)
  const crop = isCrop(wanted) ? coverCrop(picture, size, focalPoint) : { left: 0, top: 0, ...picture }
  const percent = (part: number, whole: number) => `${(100 * part) / whole}%`
  return (
    <div
      className={classNames('relative overflow-hidden rounded-sm bg-raised', className)}
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
    >
      <img
        src={media.thumbnailUrl}
        alt=""
        className="absolute max-w-none"
        style={{
          width: percent(picture.width, crop.width),
          height: percent(picture.height, crop.height),
          left: percent(-crop.left, crop.width),
          top: percent(-crop.top, crop.height),
        }}
      />
    </div>
  )
}
