import { useEffect, useRef } from 'react'
import { classNames } from '#ui/class-names.ts'
import type { Media } from '../../contract.ts'
import { Thumbnail } from '../thumbnail.tsx'

type FilmstripProps = { strip: readonly Media[]; currentId: number; onSelect: (id: number) => void }

const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches

/** Small previews of the items before and after the current one. A single tab stop, as the arrow keys change the item. */
export function Filmstrip({ strip, currentId, onSelect }: FilmstripProps) {
  const currentRef = useRef<HTMLButtonElement>(null)
  const begin = strip[0]?.id
  const shownStart = useRef<number>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another item, or more items before it, changes the scroll position
  useEffect(() => {
    const isAsBefore = begin === shownStart.current
    currentRef.current?.scrollIntoView({
      inline: 'center',
      block: 'nearest',
      behavior: isAsBefore && !prefersReducedMotion() ? 'smooth' : 'instant',
    })
    shownStart.current = begin
  }, [currentId, begin])
  return (
    <nav
      aria-label="Other items"
      className="hidden shrink-0 overflow-x-auto overscroll-contain [scrollbar-width:none] lg:[@media(min-height:40rem)]:block"
    >
      <ul className="mx-auto flex w-max gap-1 px-4 py-3">
        {strip.map((media) => {
          const isCurrent = media.id === currentId
          return (
            <li key={media.id}>
              <button
                ref={isCurrent ? currentRef : undefined}
                type="button"
                aria-label={media.filename}
                aria-current={isCurrent || undefined}
                tabIndex={isCurrent ? 0 : -1}
                onClick={() => onSelect(media.id)}
                className={classNames(
                  'block overflow-hidden rounded-sm transition-opacity',
                  isCurrent ? 'ring-2 ring-accent ring-inset' : 'opacity-55 hover:opacity-100',
                )}
              >
                <Thumbnail
                  media={media}
                  className={classNames('size-14', isCurrent && 'rounded-sm border-2 border-accent')}
                />
              </button>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
