import Star from 'lucide-react/icons/star'
import { memo, type RefObject, useEffect, useRef } from 'react'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import type { Media } from '#features/media/contract.ts'
import { classNames } from '#ui/class-names.ts'

type ArrangeTileProps = {
  media: Media
  place: string
  isHeld: boolean
  isCover: boolean
  /** Always the same box: of thousands of tiles only those are drawn anew that have another place. */
  actions: RefObject<ArrangeActions>
}

export type ArrangeActions = {
  cover: (id: number) => void
  /** Says whether the key meant something. */
  key: (key: string) => boolean
  press: (id: number) => void
  dragStart: (id: number) => void
  dragOver: (id: number) => void
  drop: () => void
  dragEnd: () => void
}

export const ArrangeTile = memo(function ArrangeTile({ media, place, isHeld, isCover, actions }: ArrangeTileProps) {
  const buttonRef = useRef<HTMLButtonElement>(null)
  // Where it goes, the focus goes: moving in the list would lose it.
  useEffect(() => {
    const button = buttonRef.current
    if (!isHeld || !button) return
    button.focus()
    // Keys lead it out of sight; a hand that drags it sees where it is.
    if (button.matches(':focus-visible')) button.scrollIntoView({ block: 'nearest' })
  })
  return (
    <li
      draggable
      onDragStart={({ dataTransfer }) => {
        // Nobody reads it, but WebKit does not drag what carries nothing.
        dataTransfer.setData('text/plain', media.filename)
        actions.current.dragStart(media.id)
      }}
      // WebKit drops only where the way in was accepted, until the pointer moves again.
      onDragEnter={(event) => event.preventDefault()}
      onDragOver={(event) => {
        event.preventDefault()
        actions.current.dragOver(media.id)
      }}
      onDrop={(event) => {
        event.preventDefault()
        actions.current.drop()
      }}
      onDragEnd={() => actions.current.dragEnd()}
      className={classNames('relative rounded-picture', isHeld && 'opacity-80 outline-2 outline-accent')}
    >
      <button
        tabIndex={0}
        ref={buttonRef}
        type="button"
        aria-label={`${media.filename}, position ${place}`}
        aria-pressed={isHeld}
        onClick={() => actions.current.press(media.id)}
        onKeyDown={(event) => {
          if (!actions.current.key(event.key)) return
          event.preventDefault()
          event.stopPropagation()
        }}
        className="block w-full cursor-grab overflow-hidden rounded-picture"
      >
        <Thumbnail media={media} />
      </button>
      <button
        type="button"
        tabIndex={0}
        aria-label={isCover ? `${media.filename} is the cover` : `Make ${media.filename} the cover`}
        aria-pressed={isCover}
        onClick={() => actions.current.cover(media.id)}
        // A finger gets 44 px: a near miss would pick the picture up.
        className="absolute top-1 right-1 grid size-7 place-items-center rounded-sm bg-scrim text-on-scrim hover:brightness-125 pointer-coarse:after:absolute pointer-coarse:after:-inset-2 pointer-coarse:after:content-['']"
      >
        <Star aria-hidden="true" className={classNames('size-4', isCover && 'fill-current')} />
      </button>
    </li>
  )
})
