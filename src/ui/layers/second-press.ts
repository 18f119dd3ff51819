/** A click says that it is the second one of two; a press is so if it follows within this time, and this near. */
const doublePressMs = 500
const nearPx = 8

const layers = '[role="dialog"], [role="alertdialog"], [popover], [data-swipe-direction]'

type Press = Pick<MouseEvent, 'timeStamp' | 'x' | 'y'>

/**
 * Many people press twice wherever once is enough. When the first press has closed a dialog, a menu or a notice, the second
 * one meets what lay beneath: it would open that, or close what the first has opened. So it does nothing.
 */
export function ignoreSecondPress() {
  // Weak: what was closed is not kept in memory until the next press.
  let last: (Press & { layer: WeakRef<Element> }) | undefined

  const follows = (first: Press, { type, detail, timeStamp, x, y }: MouseEvent) =>
    type === 'pointerdown'
      ? timeStamp - first.timeStamp < doublePressMs && Math.hypot(x - first.x, y - first.y) < nearPx
      : detail > 1

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
