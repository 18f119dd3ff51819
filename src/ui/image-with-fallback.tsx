import ImageOff from 'lucide-react/icons/image-off'
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'

type ImageWithFallbackProps = {
  /** Tried in order; the next one when one fails. */
  sources: readonly string[]
  /** Responsive candidates of the first source. */
  srcSet?: string
  sizes?: string
  alt: string
  /** Width by height, e.g. 3 / 2; square unless said. "auto" leaves the height to the place. */
  ratio?: number | 'auto'
  fit?: 'cover' | 'contain'
  /** A tiny image, as a data URL, or a colour, seen until the picture is there. */
  placeholderUrl?: string
  placeholderColor?: string
  /** Shown when every source has failed. */
  fallbackIcon?: ReactNode
  /** Above the fold: fetched at once, before others. */
  isUrgent?: boolean
  className?: string
}

export function ImageWithFallback(props: ImageWithFallbackProps) {
  const { sources, alt, ratio = 1, placeholderUrl, placeholderColor, fallbackIcon, className } = props
  // Remembered with the list it belongs to, so that new sources start anew.
  const key = sources.join('\n')
  const [failed, setFailed] = useState({ key, count: 0 })
  const failedCount = failed.key === key ? failed.count : 0
  const source = sources[failedCount]
  const hasPlaceholder = source !== undefined && placeholderUrl !== undefined
  return (
    <div
      className={classNames('relative overflow-hidden bg-center bg-cover bg-line', className)}
      style={{
        aspectRatio: ratio === 'auto' ? undefined : ratio,
        backgroundColor: source === undefined ? undefined : placeholderColor,
        backgroundImage: hasPlaceholder ? `url("${placeholderUrl}")` : undefined,
      }}
    >
      {source === undefined ? (
        <Placeholder alt={alt} icon={fallbackIcon} />
      ) : (
        <img
          key={source}
          src={source}
          srcSet={failedCount === 0 ? props.srcSet : undefined}
          sizes={failedCount === 0 ? props.sizes : undefined}
          alt={alt}
          loading={props.isUrgent ? 'eager' : 'lazy'}
          fetchPriority={props.isUrgent ? 'high' : 'auto'}
          decoding="async"
          draggable={false}
          onError={() => setFailed({ key, count: failedCount + 1 })}
          className={classNames(
            'absolute inset-0 size-full',
            props.fit === 'contain' ? 'object-contain' : 'object-cover',
          )}
        />
      )}
    </div>
  )
}

function Placeholder({ alt, icon }: { alt: string; icon?: ReactNode }) {
  return (
    <div role="img" aria-label={alt} className="absolute inset-0 grid place-items-center text-faint [&_.lucide]:size-5">
      {icon ?? <ImageOff aria-hidden="true" />}
    </div>
  )
}
