import { useEffect, useState } from 'react'
import { guardHistory } from './history-guard.ts'

/**
 * Nobody leaves what is not saved without a question: the browser asks before a reload or a closed tab, the page itself when
 * Back or Forward or anything of its own leads away. `discard` is done before somebody leaves.
 */
export function useUnsaved(isUnsaved: boolean, discard: () => void) {
  /** What waits for the answer. */
  const [leaving, setLeaving] = useState<{ go: () => void }>()
  useEffect(() => {
    if (!isUnsaved) return
    const { href } = location
    const { state } = history
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    guardHistory((go) => {
      if (go) return setLeaving({ go })
      // The address has changed already and is put back; from there, one step back is where it led.
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
    /** Does what leads away, once nothing would be lost. */
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
