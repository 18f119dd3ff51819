/** A ref for an element that replaces a removed one: it takes over the focus, so that keyboard users keep their position. */
export function focusIfLost(element: HTMLElement | null) {
  if (document.activeElement === document.body) element?.focus()
}

/** Moves a lost focus to the front dialog, or else to the screen. */
export function recoverLostFocus() {
  if (document.activeElement !== document.body) return
  const containers = document.querySelectorAll<HTMLElement>('main, [role$=dialog]')
  containers[containers.length - 1]?.focus({ preventScroll: true })
}
