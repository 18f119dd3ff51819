import Star from 'lucide-react/icons/star'
import { useEffect, useRef } from 'react'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import type { Media } from '#features/media/contract.ts'
import { classNames } from '#ui/class-names.ts'

type ArrangeTileProps = {
  media: Media
  place: string
  isHeld: boolean
  isCover: boolean
  onCover: () => void
  /** Says whether the key meant something. */
  onKey: (key: string) => boolean
  onPress: () => void
  onDragStart: () => void
  onDragOver: () => void
  onDrop: () => void
  onDragEnd: () => void
}

export function ArrangeTile(props: ArrangeTileProps) {
  const { media, place, isHeld, isCover } = props
  const buttonRef = useRef<HTMLButtonElement>(null)
  // Where it goes, the focus goes: moving in the list would lose it.
  useEffect(() => {
    if (isHeld) buttonRef.current?.focus()
  })
  return (
    <li
      draggable
      onDragStart={props.onDragStart}
      onDragOver={(event) => {
        event.preventDefault()
        props.onDragOver()
      }}
      onDrop={(event) => {
        event.preventDefault()
        props.onDrop()
      }}
      onDragEnd={props.onDragEnd}
      className={classNames('group relative rounded-picture', isHeld && 'opacity-80 outline-2 outline-accent')}
    >
      <button
        ref={buttonRef}
        type="button"
        aria-label={`${media.filename}, place ${place}`}
        aria-pressed={isHeld}
        onClick={props.onPress}
        onKeyDown={(event) => {
          if (!props.onKey(event.key)) return
          event.preventDefault()
          event.stopPropagation()
        }}
        className="block w-full cursor-grab overflow-hidden rounded-picture"
      >
        <Thumbnail media={media} />
      </button>
      <button
        type="button"
        aria-label={isCover ? `${media.filename} is the cover` : `Make ${media.filename} the cover`}
        aria-pressed={isCover}
        onClick={props.onCover}
        className={classNames(
          'absolute top-1 right-1 grid size-7 place-items-center rounded-full bg-scrim text-on-scrim transition-opacity',
          !isCover &&
            'pointer-fine:opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100',
        )}
      >
        <Star aria-hidden="true" className={classNames('size-4', isCover && 'fill-current')} />
      </button>
    </li>
  )
}
