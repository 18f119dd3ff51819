/**
 * As a ref: what had the focus has just gone from the page, and this has come in its place, where whoever works by keyboard
 * goes on.
 */
export function takeLostFocus(element: HTMLElement | null) {
  if (document.activeElement === document.body) element?.focus()
}
