/**
 * As a ref: what had the focus has just gone from the page, and this has come in its place, where whoever works by keyboard
 * goes on.
 */
export function takeLostFocus(element: HTMLElement | null) {
  if (document.activeElement === document.body) element?.focus()
}

/** The same when nothing has come in its place: it goes on at the dialog in front, or at the screen. */
export function leadLostFocusOn() {
  if (document.activeElement !== document.body) return
  const places = document.querySelectorAll<HTMLElement>('main, [role$=dialog]')
  places[places.length - 1]?.focus({ preventScroll: true })
}
