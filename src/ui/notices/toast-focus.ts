import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/**
 * Makes an element, such as a toast with Undo, focusable despite the focus trap of an open dialog: focus events that
 * lead into it do not reach the dialog's listener on the document.
 */
export function useFocusOutsideTrap(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const isInside = (target: EventTarget | null) => target instanceof Node && ref.current?.contains(target)
    const hide = (event: globalThis.FocusEvent) => {
      const goesTo = event.type === 'focusin' ? event.target : event.relatedTarget
      if (isInside(goesTo)) event.stopPropagation()
    }
    // The last element before the document; React's listeners, further inside, have run.
    const root = document.documentElement
    root.addEventListener('focusin', hide)
    root.addEventListener('focusout', hide)
    return () => {
      root.removeEventListener('focusin', hide)
      root.removeEventListener('focusout', hide)
    }
  }, [ref])
}

/** Returns the focus to where it came from when a focused toast disappears, so that keyboard users keep their position. */
export function useFocusReturn(ref: RefObject<HTMLElement | null>) {
  const cameFrom = useRef<EventTarget>(null)
  const isInside = useRef(false)

  function returnFocus() {
    isInside.current = false
    const exists = cameFrom.current instanceof HTMLElement && cameFrom.current.isConnected
    const target = exists ? (cameFrom.current as HTMLElement) : document.querySelector('main')
    target?.focus({ preventScroll: true })
  }

  // The toast is gone, or only its frame is left. A toast that replaces another one keeps the focus of the frame.
  useEffect(() => {
    const { activeElement, body } = document
    const isFrameEmpty = activeElement === ref.current && !ref.current?.querySelector('[data-state=open]')
    if (isInside.current && (activeElement === body || isFrameEmpty)) returnFocus()
  })

  return {
    onFocus({ target, relatedTarget }: FocusEvent) {
      if (!ref.current?.contains(relatedTarget as Node | null)) cameFrom.current = relatedTarget
      else if (target === ref.current) return returnFocus()
      isInside.current = true
    },
    onBlur({ relatedTarget }: FocusEvent) {
      if (relatedTarget && !ref.current?.contains(relatedTarget as Node)) isInside.current = false
    },
  }
}

/** Dialogs open, grow and scroll, so the overlap is checked at this interval. */
const checkMs = 200

/** Whether the toast must move since it covers a dialog's main button; it moves only once. */
export function useCoversMainButton(ref: RefObject<HTMLElement | null>, isOpen: boolean): boolean {
  const [isCovering, setIsCovering] = useState(false)
  useLayoutEffect(() => {
    if (!isOpen || isCovering) return
    const check = () => setIsCovering(coversMainButton(ref.current))
    check()
    const timer = setInterval(check, checkMs)
    return () => clearInterval(timer)
  }, [ref, isOpen, isCovering])
  return isCovering
}

function coversMainButton(toast: HTMLElement | null) {
  const box = toast?.getBoundingClientRect()
  return [...document.querySelectorAll('[role$=dialog][data-state=open] [data-main]')].some((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect()
    return box && left < box.right && right > box.left && top < box.bottom && bottom > box.top
  })
}
