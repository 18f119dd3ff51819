import { type MouseEvent, type PointerEvent, useRef } from 'react'
import type { Point } from './rectangle.ts'
import type { Selection } from './selection.ts'

/** As long as the menu of a link takes to come in the same browsers. */
const holdMs = 500
/** A finger never rests quite still; further than this it scrolls. */
const stillWithinPixels = 10

/** A finger that rests on a card or a row selects it, as in every gallery of a phone. Spread the result around them. */
export function useHoldToSelect({ toggle }: Selection) {
  const finger = useRef<{ at: Point; timer: number }>(undefined)

  function lift() {
    clearTimeout(finger.current?.timer)
    finger.current = undefined
  }

  return {
    onPointerDownCapture(event: PointerEvent) {
      // A second finger zooms.
      lift()
      if (event.pointerType === 'mouse' || !event.isPrimary) return
      const target = event.target as HTMLElement
      const id = target.closest<HTMLElement>('[data-media-id]')?.dataset.mediaId
      // The heart and the menu are pressed slowly too, and in a field a held finger selects words.
      if (!id || target.closest('input, [aria-pressed], [aria-haspopup], [role=menu]')) return
      const timer = window.setTimeout(() => {
        swallowClick(target)
        // Chromium complains of it before the first tap.
        if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10)
        toggle(Number(id), [])
      }, holdMs)
      finger.current = { at: { x: event.clientX, y: event.clientY }, timer }
    },
    onPointerMoveCapture({ clientX, clientY }: PointerEvent) {
      const from = finger.current?.at
      if (from && Math.hypot(clientX - from.x, clientY - from.y) > stillWithinPixels) lift()
    },
    onPointerUpCapture: lift,
    onPointerCancelCapture: lift,
    /** The browser's own, for a held finger; a mouse gets it. */
    onContextMenu: (event: MouseEvent) => finger.current && event.preventDefault(),
  }
}

/** The finger that is lifted now would open the item. What it rests on may be gone from the page by then, and still hears of it. */
function swallowClick(target: HTMLElement) {
  const lifted = new AbortController()
  const { signal } = lifted
  const end = (event: Event) => {
    if (event.cancelable) event.preventDefault()
    lifted.abort()
  }
  target.addEventListener('touchend', end, { signal })
  target.addEventListener('touchcancel', end, { signal })
}
