import { useEffect } from 'react'

let lockCount = 0

/** Holds the page still while a modal is open (the rule is in base.css; an injected style would need a laxer policy). */
export function useScrollLock(isLocked: boolean) {
  useEffect(() => {
    if (!isLocked) return
    lockCount += 1
    document.documentElement.dataset.scrollLocked = ''
    return () => {
      lockCount -= 1
      if (lockCount === 0) delete document.documentElement.dataset.scrollLocked
    }
  }, [isLocked])
}
