import { useEffect, useLayoutEffect, useRef } from 'react'

/** The number of screens shown since the page loaded; the first one leaves the focus where the browser put it. */
let shownCount = 0

/** A layout effect, so that it counts before the effects of the screens run. */
export function useScreenCount(path: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: every other path is another screen
  useLayoutEffect(() => {
    shownCount += 1
  }, [path])
}

/** Scrolls to the top and moves the focus when the screen changes. The ref belongs on the element around the screen. */
export function useFocusOnNewScreen(path: string) {
  const mainRef = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: every other path is another screen
  useEffect(() => {
    if (shownCount <= 1) return
    window.scrollTo(0, 0)
    // A user who is typing in the search box keeps the focus there.
    if (!(document.activeElement instanceof HTMLInputElement)) mainRef.current?.focus({ preventScroll: true })
  }, [path])
  return mainRef
}
