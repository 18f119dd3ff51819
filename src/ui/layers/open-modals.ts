import { useEffect, useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'

let openModals = 0
const listeners = createListeners()

export const isModalOpen = () => openModals > 0

/** While a modal is open, a rule in base.css locks scrolling; an inline style would violate the content policy. */
function change(by: number) {
  openModals += by
  document.documentElement.toggleAttribute('data-scroll-locked', isModalOpen())
  listeners.notify()
}

export function useOpenModal(isOpen: boolean) {
  useEffect(() => {
    if (!isOpen) return
    change(1)
    return () => change(-1)
  }, [isOpen])
}

/**
 * A dialog hides the page's existing content from screen readers when it opens. Content that is rendered later, such as a
 * loaded list, must be hidden by the page itself, with this hook.
 */
export function useIsModalOpen(): boolean {
  return useSyncExternalStore(listeners.subscribe, isModalOpen)
}
