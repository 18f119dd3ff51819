/** `go`: what leads away, when that is nothing of the history's, and is still to be done. */
type Guard = (go?: () => void) => void

let guard: Guard | undefined

/**
 * Called once, before the router listens: listeners of one event are called in their order, and between two of them the
 * router has already drawn the next address.
 */
export function watchHistory() {
  window.addEventListener('popstate', () => guard?.())
}

/** What is done instead when Back, Forward or `leadAway` would lose something; undefined once nothing would be lost. */
export function guardHistory(next: Guard | undefined) {
  guard = next
}

/** For what leads away without knowing what is open, such as a notice. */
export function leadAway(go: () => void) {
  if (guard) guard(go)
  else go()
}

/** Open forms in which somebody has typed: left without a question, but by nobody else. */
export const typedForms = new Set<object>()

/** Whether leaving would lose something, which whoever has no answer to wait for does not do by itself. */
export const wouldLose = () => guard !== undefined || typedForms.size > 0
