/** The minimum swipe distance, in pixels. */
const threshold = 50

type Handlers = {
  onMove: (dx: number) => void
  onSwipe: (step: -1 | 1) => void
  onCancel: () => void
  onDown: () => void
}

/** The gesture for a distance: next or previous image, close, or nothing. */
export function meaningOf(dx: number, dy: number): 'previous' | 'next' | 'close' | 'nothing' {
  if (dy > threshold * 1.6 && dy > Math.abs(dx) * 1.5) return 'close'
  if (Math.abs(dx) < threshold || Math.abs(dx) < Math.abs(dy)) return 'nothing'
  return dx < 0 ? 'next' : 'previous'
}

/** Follows one finger; two are the browser's own zoom. */
export function onSwipe(target: HTMLElement, handlers: Handlers) {
  let start: { x: number; y: number } | undefined
  target.addEventListener(
    'touchstart',
    ({ touches }) => {
      const [finger] = touches
      const isZoomed = (window.visualViewport?.scale ?? 1) > 1.05
      // A second finger cancels the swipe.
      if (start) handlers.onCancel()
      start = touches.length === 1 && finger && !isZoomed ? { x: finger.clientX, y: finger.clientY } : undefined
    },
    { passive: true },
  )
  target.addEventListener(
    'touchmove',
    ({ touches }) => {
      if (start && touches[0]) handlers.onMove(touches[0].clientX - start.x)
    },
    { passive: true },
  )
  target.addEventListener('touchend', ({ changedTouches }) => {
    const [finger] = changedTouches
    if (!start || !finger) return
    const meaning = meaningOf(finger.clientX - start.x, finger.clientY - start.y)
    start = undefined
    handlers.onCancel()
    if (meaning === 'close') handlers.onDown()
    if (meaning === 'next') handlers.onSwipe(1)
    if (meaning === 'previous') handlers.onSwipe(-1)
  })
  target.addEventListener('touchcancel', () => {
    start = undefined
    handlers.onCancel()
  })
}
