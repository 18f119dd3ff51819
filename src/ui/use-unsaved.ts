import { useEffect } from 'react'
import { guardHistory } from './history-guard.ts'

/**
 * Nobody leaves what is not saved without a question: the browser asks before a reload or a closed tab, the page itself when
 * Back or Forward leads away. `onLeave` gets what does it after all.
 */
export function useUnsaved(isUnsaved: boolean, onLeave: (go: () => void) => void) {
  useEffect(() => {
    if (!isUnsaved) return
    const { href } = location
    const { state } = history
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    guardHistory(() => {
      // The address has changed already and is put back; from there, one step back is where it led.
      history.pushState(state, '', href)
      onLeave(() => history.back())
    })
    return () => {
      window.removeEventListener('beforeunload', ask)
      guardHistory(undefined)
    }
  })
}
