import { useEffectEvent, useLayoutEffect } from 'react'
import { useBackKey } from './use-back-key.ts'

/** What is open, in the order it was opened. */
const layers: (() => void)[] = []

/**
 * [Note: One Escape, one layer] Escape closes what was opened last and nothing under it: the list of a select first, then
 * menu, popover, dialog. The key is taken at the window, before Radix, whose own order is only right some frames after
 * a layer opens. The Back key of a phone does the same.
 */
export function useEscape(isOpen: boolean, onEscape: () => void) {
  const close = useEffectEvent(onEscape)
  useBackKey(isOpen, onEscape)
  useLayoutEffect(() => {
    if (!isOpen) return
    const layer = () => close()
    if (layers.push(layer) === 1) window.addEventListener('keydown', closeLast, { capture: true })
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length === 0) window.removeEventListener('keydown', closeLast, { capture: true })
    }
  }, [isOpen])
}

function closeLast(event: KeyboardEvent) {
  if (event.key !== 'Escape' || event.isComposing) return
  event.stopPropagation()
  // The browser closes an open list of a select by itself, unless told not to.
  if (CSS.supports('selector(select:open)') && document.querySelector('select:open')) return
  event.preventDefault()
  layers.at(-1)?.()
}
