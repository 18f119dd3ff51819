import { type MouseEvent, type PointerEvent, useRef } from 'react'
import type { Point } from './rectangle.ts'
import type { Selection } from './selection.ts'

/** The delay of the browsers' own context menu for links. */
const holdMs = 500
/** A finger never stays completely still; a longer movement is scrolling. */
const maxMovePixels = 10

/** Holding a finger on a card or a row selects it, as in phone galleries. Spread the result on the container. */
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
      // The heart and the menu may be held too, and holding a finger in a field selects words.
      if (!id || target.closest('input, [aria-pressed], [aria-haspopup], [role=menu]')) return
      const timer = window.setTimeout(() => {
        swallowClick(target)
        // Before the first tap Chromium logs an error for `vibrate`.
        if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10)
        toggle(Number(id), [])
      }, holdMs)
      finger.current = { at: { x: event.clientX, y: event.clientY }, timer }
    },
    onPointerMoveCapture({ clientX, clientY }: PointerEvent) {
      const from = finger.current?.at
      if (from && Math.hypot(clientX - from.x, clientY - from.y) > maxMovePixels) lift()
    },
    onPointerUpCapture: lift,
    onPointerCancelCapture: lift,
    /** Suppresses the browser's context menu for a held finger but not for a mouse. */
    onContextMenu: (event: MouseEvent) => finger.current && event.preventDefault(),
  }
}

/** Lifting the finger now would open the item. The listener is on the element itself, which may leave the page before. */
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
