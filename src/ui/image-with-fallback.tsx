import ImageOff from 'lucide-react/icons/image-off'
import { type ReactNode, useEffect, useState } from 'react'
import { isIcon } from '#shared/image-sizes.ts'
import { classNames } from './class-names.ts'

type ImageWithFallbackProps = {
  /** URLs, tried in order until one loads. */
  sources: readonly string[]
  alt: string
  /** A tiny image, as a data URL, shown until the image has loaded. */
  placeholderUrl?: string
  /** Which part of the image the square shows, as a CSS object-position. Without one, its middle. */
  position?: string
  /** Shown when every source has failed. */
  fallbackIcon?: ReactNode
  /** Above the fold: loaded immediately and with high priority. */
  isUrgent?: boolean
  className?: string
}

/** A square image. */
export function ImageWithFallback(props: ImageWithFallbackProps) {
  const { sources, alt, placeholderUrl, position, fallbackIcon, isUrgent, className } = props
  // Stored with its list of sources, so that a new list starts from its first URL.
  const key = sources.join('\n')
  const [failed, setFailed] = useState({ key, count: 0 })
  const failedCount = failed.key === key ? failed.count : 0
  const source = sources[failedCount]
  const hasFailed = failedCount > 0
  // Failed images are loaded again when the connection is back.
  useEffect(() => {
    if (!hasFailed) return
    const retry = () => setFailed({ key, count: 0 })
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [hasFailed, key])
  const hasPlaceholder = source !== undefined && placeholderUrl !== undefined
  return (
    <div
      className={classNames(
        'relative aspect-square overflow-hidden rounded-[inherit] bg-center bg-cover bg-line',
        // A thin border makes the edge of a white image visible on a white background.
        'after:pointer-events-none after:absolute after:inset-0 after:rounded-[inherit]',
        'after:ring-1 after:ring-line after:ring-inset',
        className,
      )}
      style={{ backgroundImage: hasPlaceholder ? `url("${placeholderUrl}")` : undefined }}
    >
      {source === undefined ? (
        <Placeholder alt={alt} icon={fallbackIcon} />
      ) : (
        <img
          key={source}
          src={source}
          alt={alt}
          loading={isUrgent ? 'eager' : 'lazy'}
          fetchPriority={isUrgent ? 'high' : 'auto'}
          decoding="async"
          draggable={false}
          onLoad={({ currentTarget }) => removePlaceholder(currentTarget)}
          onError={() => setFailed({ key, count: failedCount + 1 })}
          // Transparent text, since Firefox shows the alt text over the placeholder while loading.
          className="absolute inset-0 m-auto size-full object-cover text-transparent"
          style={{ objectPosition: position }}
        />
      )}
    </div>
  )
}

function removePlaceholder(image: HTMLImageElement) {
  // It would show through a transparent image.
  image.parentElement?.style.setProperty('background-image', 'none')
  image.style.background = 'var(--transparency)'
  if (isIcon({ width: image.naturalWidth, height: image.naturalHeight }))
    image.style.width = image.style.height = 'auto'
}

function Placeholder({ alt, icon }: { alt: string; icon?: ReactNode }) {
  return (
    <div role="img" aria-label={alt} className="absolute inset-0 grid place-items-center text-faint [&_.lucide]:size-5">
      {icon ?? <ImageOff aria-hidden="true" />}
    </div>
  )
}
