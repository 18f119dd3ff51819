import { useEffectEvent, useLayoutEffect } from 'react'

/** Not among TypeScript's own yet. */
type BackKey = EventTarget & { destroy: () => void }
type MaybeWithBackKey = { CloseWatcher?: new () => BackKey }

/** On a phone the Back key, or gesture, gives up what is open before it leaves the page, in browsers that lend it (Chromium). */
export function useBackKey(isOpen: boolean, onBack: () => void) {
  const giveUp = useEffectEvent(onBack)
  useLayoutEffect(() => {
    const { CloseWatcher } = window as MaybeWithBackKey
    // With a keyboard it would be Escape, which has listeners of its own.
    if (!isOpen || !CloseWatcher || !matchMedia('(pointer: coarse)').matches) return
    let key: BackKey | undefined
    const wait = () => {
      key = new CloseWatcher()
      key.addEventListener('close', () => {
        // What may not be closed, or asks first, is still there the next time.
        wait()
        giveUp()
      })
    }
    wait()
    return () => key?.destroy()
  }, [isOpen])
}
