import ImageOff from 'lucide-react/icons/image-off'
import { type ReactNode, useEffect, useState } from 'react'
import { isIcon } from '#shared/image-sizes.ts'
import { classNames } from './class-names.ts'

type ImageWithFallbackProps = {
  /** Tried in order; the next one when one fails. */
  sources: readonly string[]
  alt: string
  /** A tiny image, as a data URL, seen until the picture is there. */
  placeholderUrl?: string
  /** Shown when every source has failed. */
  fallbackIcon?: ReactNode
  /** Above the fold: fetched at once, before others. */
  isUrgent?: boolean
  className?: string
}

/** A square picture. */
export function ImageWithFallback(props: ImageWithFallbackProps) {
  const { sources, alt, placeholderUrl, fallbackIcon, isUrgent, className } = props
  // Remembered with the list it belongs to, so that new sources start anew.
  const key = sources.join('\n')
  const [failed, setFailed] = useState({ key, count: 0 })
  const failedCount = failed.key === key ? failed.count : 0
  const source = sources[failedCount]
  const hasFailed = failedCount > 0
  // What did not come while there was no connection comes when there is one again.
  useEffect(() => {
    if (!hasFailed) return
    const tryAgain = () => setFailed({ key, count: 0 })
    window.addEventListener('online', tryAgain)
    return () => window.removeEventListener('online', tryAgain)
  }, [hasFailed, key])
  const hasPlaceholder = source !== undefined && placeholderUrl !== undefined
  return (
    <div
      className={classNames(
        'relative aspect-square overflow-hidden rounded-[inherit] bg-center bg-cover bg-line',
        // A white picture on white paper has an edge too.
        'after:pointer-events-none after:absolute after:inset-0 after:rounded-[inherit] after:ring-1 after:ring-line after:ring-inset',
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
          onLoad={({ currentTarget }) => showAsItIs(currentTarget)}
          onError={() => setFailed({ key, count: failedCount + 1 })}
          // Firefox writes the description over the placeholder until the picture is there.
          className="absolute inset-0 m-auto size-full object-cover text-transparent"
        />
      )}
    </div>
  )
}

function showAsItIs(image: HTMLImageElement) {
  // Behind what is transparent it would be seen for ever.
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
