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
  /** Only the cover can be chosen. */
  isFixed: boolean
  /** The ref's identity is stable, so of thousands of tiles only those whose position changed render again. */
  actions: RefObject<ArrangeActions>
}

export type ArrangeActions = {
  cover: (id: number) => void
  /** Returns whether the key was handled. */
  key: (key: string) => boolean
  press: (id: number) => void
  dragStart: (id: number) => void
  dragOver: (id: number) => void
  drop: () => void
  dragEnd: () => void
}

export const ArrangeTile = memo(function ArrangeTile(props: ArrangeTileProps) {
  const { media, place, isHeld, isCover, isFixed, actions } = props
  const buttonRef = useRef<HTMLButtonElement>(null)
  // Moving the element in the list loses the focus, so it is set again.
  useEffect(() => {
    const button = buttonRef.current
    if (!isHeld || !button) return
    button.focus()
    // With the keyboard a tile can leave the viewport; with a pointer the user sees where it is.
    if (button.matches(':focus-visible')) button.scrollIntoView({ block: 'nearest' })
  })
  return (
    <li
      draggable={!isFixed}
      onDragStart={({ dataTransfer }) => {
        // The value is not read, but WebKit does not start a drag without data.
        dataTransfer.setData('text/plain', media.filename)
        actions.current.dragStart(media.id)
      }}
      // WebKit fires `drop` only if `dragenter` was accepted, until the pointer moves again.
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
      {isFixed ? (
        <Thumbnail media={media} />
      ) : (
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
      )}
      <button
        type="button"
        tabIndex={0}
        aria-label={isCover ? `${media.filename} is the cover` : `Make ${media.filename} the cover`}
        aria-pressed={isCover}
        onClick={() => actions.current.cover(media.id)}
        // The touch target is 44 px, because a near miss would pick up the image.
        className={classNames(
          'absolute top-1 right-1 grid size-7 place-items-center rounded-sm bg-scrim text-on-scrim hover:brightness-125',
          "pointer-coarse:after:absolute pointer-coarse:after:-inset-2 pointer-coarse:after:content-['']",
        )}
      >
        <Star aria-hidden="true" className={classNames('size-4', isCover && 'fill-current')} />
      </button>
    </li>
  )
})
