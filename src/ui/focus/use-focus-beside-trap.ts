import { type RefObject, useEffect } from 'react'

/**
 * An open dialog holds the focus inside itself. What floats above it and can be acted upon, as a notice with Undo, must
 * be reachable all the same: moves of the focus into it are kept from the dialog, which listens at the document.
 */
export function useFocusBesideTrap(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const isInside = (target: EventTarget | null) => target instanceof Node && ref.current?.contains(target)
    const hide = (event: FocusEvent) => {
      const goesTo = event.type === 'focusin' ? event.target : event.relatedTarget
      if (isInside(goesTo)) event.stopPropagation()
    }
    // The last stop before the document; React, which listens further inside, has had its turn.
    const last = document.documentElement
    last.addEventListener('focusin', hide)
    last.addEventListener('focusout', hide)
    return () => {
      last.removeEventListener('focusin', hide)
      last.removeEventListener('focusout', hide)
    }
  }, [ref])
}
