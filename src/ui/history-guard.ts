let guard: (() => void) | undefined

/**
 * Called once, before the router listens: listeners of one event are called in their order, and between two of them the
 * router has already drawn the next address.
 */
export function watchHistory() {
  window.addEventListener('popstate', () => guard?.())
}

/** What is done when Back or Forward leads away, as long as it is needed. */
export function guardHistory(next: (() => void) | undefined) {
  guard = next
}
