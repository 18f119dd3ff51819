import { type FocusEvent, type RefObject, useEffect, useRef } from 'react'

/**
 * Whoever went by keyboard to something that comes and goes, as a notice, is led back to where they came from when it has
 * gone: with Undo at its end, the way there must not cost the place in the page.
 */
export function useFocusReturn(ref: RefObject<HTMLElement | null>) {
  const from = useRef<EventTarget>(null)
  const isInside = useRef(false)

  function goBack() {
    isInside.current = false
    const isThere = from.current instanceof HTMLElement && from.current.isConnected
    const place = isThere ? (from.current as HTMLElement) : document.querySelector('main')
    place?.focus({ preventScroll: true })
  }

  // Nothing is left that could hold the focus, or only the frame around it.
  useEffect(() => {
    const { activeElement, body } = document
    if (isInside.current && (activeElement === body || activeElement === ref.current)) goBack()
  })

  return {
    onFocus({ target, relatedTarget }: FocusEvent) {
      if (!ref.current?.contains(relatedTarget as Node | null)) from.current = relatedTarget
      else if (target === ref.current) return goBack()
      isInside.current = true
    },
    onBlur({ relatedTarget }: FocusEvent) {
      if (relatedTarget && !ref.current?.contains(relatedTarget as Node)) isInside.current = false
    },
  }
}
