import ImageOff from 'lucide-react/icons/image-off'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { classNames } from '#ui/class-names.ts'
import type { Media } from '../../contract.ts'
import { pictureText } from '../spoken-text.ts'
import { thumbhashUrl } from '../thumbhash-url.ts'
import { isRotated, pictureSources, uprightSource, wantedWidth } from './picture-sources.ts'
import { mayBeTransparent, transparencyGrid } from './transparency-classes.ts'
import { useElementSize } from './use-element-size.ts'
import { useZoom } from './use-zoom.ts'
import { useZoomKeys } from './use-zoom-keys.ts'
import { type Frame, fitPicture, type Size, type Swipe, shownPercent } from './zoom.ts'
import { ZoomControls } from './zoom-controls.tsx'

type PictureStageProps = {
  media: Media
  /** The previous and next items, which are preloaded. */
  neighbors: readonly Media[]
  /** False while a dialog is open above. */
  hasKeys: boolean
  onMagnify: () => void
  onSwipe: (swipe: Swipe) => void
}

/** A picture that can be zoomed and moved. Use the item's id as key, so that every picture starts unzoomed. */
export function PictureStage({ media, neighbors, hasKeys, onMagnify, onSwipe }: PictureStageProps) {
  const stageRef = useRef<HTMLDivElement>(null)
  const stage = useElementSize(stageRef)
  const frame: Frame = { natural: naturalSize(media), stage: stage ?? { width: 1, height: 1 } }
  const zoom = useZoom({ stageRef, frame, onSwipe })
  const fitted = fitPicture(frame)
  const reportZoomed = useEffectEvent(onMagnify)
  useEffect(() => {
    if (zoom.isMagnified) reportZoomed()
  }, [zoom.isMagnified])

  useZoomKeys(zoom, hasKeys)

  const { scale, x, y } = zoom.view
  return (
    <div
      ref={stageRef}
      {...zoom.handlers}
      className={classNames(
        'group/stage relative size-full touch-none select-none overflow-hidden',
        zoom.isMagnified && (zoom.isHeld ? 'cursor-grabbing' : 'cursor-grab'),
      )}
    >
      {stage && (
        <div
          className={classNames(
            'absolute top-1/2 left-1/2 will-change-transform',
            !zoom.isHeld && 'transition-transform',
          )}
          style={{
            width: fitted.width,
            height: fitted.height,
            transform: `translate(-50%, -50%) translate(${x}px, ${y}px) scale(${scale})`,
          }}
        >
          <Picture key={media.originalUrl} media={media} sizes={wantedWidth(fitted.width, scale)} />
        </div>
      )}
      {stage && neighbors.map((neighbor) => <Preloaded key={neighbor.id} media={neighbor} stage={stage} />)}
      <ZoomControls
        percent={shownPercent(zoom.view, frame)}
        onZoomIn={() => zoom.zoomBy(1.5)}
        onZoomOut={() => zoom.zoomBy(1 / 1.5)}
        onShowWhole={zoom.showWhole}
      />
    </div>
  )
}

/** The last source that loaded, and a single fallback source if one failed. */
type Loading = { goodSrc?: string; onlySrc?: string; hasFailed?: boolean }

/** The thumbnail stays below until the picture covers it, to avoid a dark flash. */
export function Picture({ media, sizes }: { media: Media; sizes: string }) {
  const [{ goodSrc, onlySrc, hasFailed }, setLoading] = useState<Loading>({})
  const [isCovered, setIsCovered] = useState(false)
  const { src, srcSet } = pictureSources(media)
  const isLoaded = goodSrc !== undefined
  const fill = 'absolute inset-0 size-full'
  const alt = pictureText(media)

  async function showDecoded(image: HTMLImageElement) {
    const goodSrc = image.currentSrc
    if (!onlySrc && isRotated(media, image)) {
      const onlySrc = uprightSource(media)
      return setLoading((before) => ({ ...before, onlySrc }))
    }
    // `decode` rejects if another size was requested meanwhile; the loaded picture is usable nevertheless.
    await image.decode().catch(() => {})
    setLoading((before) => ({ ...before, goodSrc }))
  }

  return (
    <>
      {!isCovered && (
        <img
          src={media.thumbnailUrl}
          alt=""
          draggable={false}
          className={classNames(fill, 'bg-center bg-cover')}
          style={{ backgroundImage: `url("${thumbhashUrl(media.thumbhash) ?? ''}")` }}
        />
      )}
      {hasFailed ? (
        <p
          className={classNames(
            'absolute bottom-0 left-1/2 flex w-max min-w-full -translate-x-1/2 items-center justify-center gap-2',
            'bg-scrim p-2 text-on-scrim text-sm',
          )}
        >
          <ImageOff aria-hidden="true" />
          {media.file === 'ok' ? "Couldn't load the image." : `The image file is ${media.file}.`}
          <button
            type="button"
            tabIndex={0}
            // Otherwise the stage would treat it as the start of a drag.
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => setLoading({})}
            className="px-1 py-0.5 underline underline-offset-2"
          >
            Try again
          </button>
        </p>
      ) : (
        <img
          src={onlySrc ?? src}
          srcSet={onlySrc ? undefined : srcSet}
          sizes={sizes}
          alt={alt}
          draggable={false}
          fetchPriority="high"
          onLoad={({ currentTarget }) => void showDecoded(currentTarget)}
          // Under load Chromium may fire `transitionend` too early, and again at the actual end.
          onTransitionEnd={({ currentTarget }) => getComputedStyle(currentTarget).opacity === '1' && setIsCovered(true)}
          onError={() => setLoading(onlySrc || !srcSet ? { hasFailed: true } : { goodSrc, onlySrc: goodSrc ?? src })}
          className={classNames(
            fill,
            'transition-opacity',
            isLoaded ? 'opacity-100' : 'opacity-0',
            isLoaded && mayBeTransparent(media.mimeType) && transparencyGrid,
          )}
        />
      )}
    </>
  )
}

/**
 * Preloads exactly the rendition that will be chosen. It is in the page but hidden, as Chromium never frees a detached
 * picture with a `srcset`.
 */
function Preloaded({ media, stage }: { media: Media; stage: Size }) {
  const sizes = wantedWidth(fitPicture({ natural: naturalSize(media), stage }).width, 1)
  return <img {...pictureSources(media)} sizes={sizes} alt="" hidden />
}

export function naturalSize({ width, height }: Media): Size {
  return { width: width ?? 1600, height: height ?? 1200 }
}
