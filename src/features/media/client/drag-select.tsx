import { type PointerEvent, type ReactNode, useRef, useState } from 'react'
import type { CardKeyHandlers } from './card-keys.ts'
import { itemsUnder } from './carried-items.ts'
import { overlaps, type Point, type Rectangle, rectangleOf } from './rectangle.ts'
import type { Selection } from './selection.ts'
import { useCardKeys } from './use-card-keys.ts'
import { useHoldToSelect } from './use-hold-to-select.ts'

/** A pointer movement shorter than this is a click. */
const dragFromPixels = 6

type DragSelectProps = {
  selection: Selection
  /** Starts dragging items; `from` is the pointer's position in the window. */
  onCarry?: (mediaIds: readonly number[], from: Point) => void
  keys: CardKeyHandlers
  className?: string
  children: ReactNode
}

/**
 * Dragging a rectangle over cards adds them to the selection, and starts select mode if it begins between cards. Dragging a
 * picture moves the item, or all selected ones if it is selected.
 */
export function DragSelect({ selection, onCarry, keys, className, children }: DragSelectProps) {
  const areaRef = useRef<HTMLDivElement>(null)
  const begin = useRef<{ at: Point; ids: ReadonlySet<number>; carried: readonly number[] }>(undefined)
  const [drawn, setDrawn] = useState<Rectangle>()
  const cardKeys = useCardKeys(keys)
  const hold = useHoldToSelect(selection)

  function press(event: PointerEvent) {
    // Touch scrolls and selects by holding. Outside select mode a slight movement on a picture or a row is still a click.
    if (event.button !== 0 || event.pointerType !== 'mouse') return
    const target = event.target as Element
    const carried = onCarry ? itemsUnder(target, selection) : []
    const isOnItem = target.closest('button, input, tr[data-media-id]') !== null
    if (!selection.isActive && isOnItem && carried.length === 0) return
    begin.current = { at: pagePoint(event), ids: selection.ids, carried }
  }

  function move(event: PointerEvent) {
    // A button released outside the area sends no event here.
    if (event.buttons === 0) begin.current = undefined
    if (!begin.current) return
    const rectangle = rectangleOf(begin.current.at, pagePoint(event))
    const isDrag =
      drawn !== undefined ||
      Math.hypot(rectangle.right - rectangle.left, rectangle.bottom - rectangle.top) > dragFromPixels
    if (!isDrag) return
    if (begin.current.carried.length > 0) {
      onCarry?.(begin.current.carried, { x: event.clientX, y: event.clientY })
      begin.current = undefined
      return
    }
    areaRef.current?.setPointerCapture(event.pointerId)
    setDrawn(rectangle)
    const ids = [...begin.current.ids, ...itemsIn(areaRef.current, rectangle)]
    if (selection.isActive || ids.length > 0) selection.replace(ids)
  }

  function release() {
    begin.current = undefined
    setDrawn(undefined)
  }

  return (
    <div
      {...cardKeys}
      {...hold}
      ref={areaRef}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onClickCapture={(event) => drawn && event.stopPropagation()}
      className={className}
    >
      {children}
      {drawn && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute z-20 rounded-sm border border-accent bg-accent/15"
          style={{
            left: drawn.left,
            top: drawn.top,
            width: drawn.right - drawn.left,
            height: drawn.bottom - drawn.top,
          }}
        />
      )}
    </div>
  )
}

/** Page coordinates, so that scrolling does not move the rectangle's start. */
const pagePoint = ({ pageX, pageY }: PointerEvent): Point => ({ x: pageX, y: pageY })

function itemsIn(area: HTMLElement | null, rectangle: Rectangle) {
  const cards = [...(area?.querySelectorAll<HTMLElement>('[data-media-id]') ?? [])]
  return cards
    .filter((card) => {
      const { left, top, right, bottom } = card.getBoundingClientRect()
      const { scrollX, scrollY } = window
      return overlaps(rectangle, {
        left: left + scrollX,
        top: top + scrollY,
        right: right + scrollX,
        bottom: bottom + scrollY,
      })
    })
    .map((card) => Number(card.dataset.mediaId))
}
