/**
 * Ignores the repeated keydown events of a held Enter key, which would press a button again and again: ten copies of an
 * item, or a wrong password sent until the account is locked.
 */
export function ignoreRepeatedEnter() {
  const ignoreRepeated = (event: KeyboardEvent) => {
    if (!event.repeat || event.key !== 'Enter') return
    // In a textarea, a held Enter inserts lines.
    if (!(event.target instanceof Element && event.target.matches('a, button, input'))) return
    event.preventDefault()
    event.stopPropagation()
  }
  document.addEventListener('keydown', ignoreRepeated, { capture: true })
}

/** A press is the second of a double click within this time and distance; later ones are meant. */
const doubleClickMs = 250
const maxDistancePx = 8

const layers = '[role="dialog"], [role="alertdialog"], [popover], [data-swipe-direction]'

type Press = Pick<MouseEvent, 'timeStamp' | 'x' | 'y'>

/**
 * Ignores the second click of a double click when the first one has closed a dialog, menu or toast. Many people double-click
 * everything, and the second click would otherwise hit the element underneath.
 */
export function ignoreSecondClick() {
  // A weak reference, so that the closed layer can be garbage collected.
  let last: (Press & { layer: WeakRef<Element> }) | undefined

  const follows = (first: Press, { type, detail, timeStamp, x, y }: MouseEvent) =>
    timeStamp - first.timeStamp < doubleClickMs &&
    (type === 'pointerdown' ? Math.hypot(x - first.x, y - first.y) < maxDistancePx : detail > 1)

  const ignore = (event: MouseEvent) => {
    if (last && !last.layer.deref()?.isConnected && follows(last, event)) {
      event.preventDefault()
      event.stopPropagation()
    } else if (event.type === 'click' && event.target instanceof Element) {
      const layer = event.target.closest(layers)
      const { timeStamp, x, y } = event
      last = layer ? { layer: new WeakRef(layer), timeStamp, x, y } : undefined
    }
  }
  for (const type of ['pointerdown', 'mousedown', 'click'] as const) {
    window.addEventListener(type, ignore, { capture: true })
  }
}
