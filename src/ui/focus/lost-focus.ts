/** A ref for an element that replaces a removed one: it takes over the focus, so that keyboard users keep their position. */
export function focusIfLost(element: HTMLElement | null) {
  if (document.activeElement === document.body) element?.focus()
}

const containerSelector = 'main, [role$=dialog]'

/** Whether a button, field or link has the focus, and not only the screen or a dialog around it. */
export function hasFocusedControl() {
  const focused = document.activeElement
  return focused !== null && focused !== document.body && !focused.matches(containerSelector)
}

/** Moves a lost focus to the front dialog, or else to the screen. */
export function recoverLostFocus() {
  if (document.activeElement !== document.body) return
  const containers = document.querySelectorAll<HTMLElement>(containerSelector)
  containers[containers.length - 1]?.focus({ preventScroll: true })
}
