import { useEffect, useState } from 'react'

/** Receives the navigation to perform, unless the history has already changed. */
type Guard = (go?: () => void) => void

let guard: Guard | undefined

/** Must be called before the router adds its own listener, which would render the next page before the guard runs. */
export function watchHistory() {
  window.addEventListener('popstate', () => guard?.())
}

/** Sets what happens instead of a navigation that would lose changes; undefined when there are none. */
function guardHistory(next: Guard | undefined) {
  guard = next
}

/** Navigates from code that does not know what is open, such as a toast. */
export function navigateAway(go: () => void) {
  if (guard) guard(go)
  else go()
}

/** Open forms with typed text. The user leaves them without a question, but no automatic navigation does. */
export const dirtyForms = new Set<object>()

/** Whether an automatic navigation would lose changes. */
export const hasUnsavedChanges = () => guard !== undefined || dirtyForms.size > 0

/**
 * Asks before unsaved changes are lost: the browser before a reload or a closed tab, the page before other navigation.
 * `discard` is called before leaving.
 */
export function useUnsavedChanges(isUnsaved: boolean, discard: () => void) {
  /** The navigation that waits for the user's answer. */
  const [leaving, setLeaving] = useState<{ go: () => void }>()
  useEffect(() => {
    if (!isUnsaved) return
    const { href } = location
    const { state } = history
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    guardHistory((go) => {
      if (go) return setLeaving({ go })
      // The URL has already changed and is restored; its target is then one step back.
      history.pushState(state, '', href)
      setLeaving({ go: () => history.back() })
    })
    return () => {
      window.removeEventListener('beforeunload', ask)
      guardHistory(undefined)
    }
  })
  return {
    isAsking: leaving !== undefined,
    /** Navigates, after asking if there are unsaved changes. */
    leave(go: () => void) {
      if (isUnsaved) return setLeaving({ go })
      discard()
      go()
    },
    keepEditing: () => setLeaving(undefined),
    discard() {
      discard()
      setLeaving(undefined)
      leaving?.go()
    },
  }
}
