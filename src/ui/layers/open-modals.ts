import { useEffect, useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'

let openModals = 0
const listeners = createListeners()

export const isModalOpen = () => openModals > 0

/** While one is open the page is held still, by a rule in base.css: an injected style would need a laxer policy. */
function change(by: number) {
  openModals += by
  document.documentElement.toggleAttribute('data-scroll-locked', isModalOpen())
  listeners.tell()
}

export function useCountedModal(isOpen: boolean) {
  useEffect(() => {
    if (!isOpen) return
    change(1)
    return () => change(-1)
  }, [isOpen])
}

/**
 * A dialog hides from screen readers what it finds when it opens. What arrives in the page later, as a list that was
 * still loading, must be hidden by the page itself.
 */
export function useIsModalOpen(): boolean {
  return useSyncExternalStore(listeners.subscribe, isModalOpen)
}
