import { useEffect, useLayoutEffect, useRef } from 'react'

/** How many screens this visit has shown; the first one leaves the focus where the browser put it. */
let shownCount = 0

/** Counts before any screen's own effects run. */
export function useScreenCount(path: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: every other path is another screen
  useLayoutEffect(() => {
    shownCount += 1
  }, [path])
}

/** Another screen begins at its top, for the eye and for the keyboard. The ref belongs on what holds the screen. */
export function useFocusOnNewScreen(path: string) {
  const mainRef = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: every other path is another screen
  useEffect(() => {
    if (shownCount <= 1) return
    window.scrollTo(0, 0)
    // Somebody who types in the search box stays there.
    if (!(document.activeElement instanceof HTMLInputElement)) mainRef.current?.focus({ preventScroll: true })
  }, [path])
  return mainRef
}
