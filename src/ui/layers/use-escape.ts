import { useEffectEvent, useLayoutEffect } from 'react'

/** The open layers, in the order in which they were opened. */
const layers: (() => void)[] = []

/**
 * [Note: One Escape, one layer] Escape closes only the layer that was opened last: the list of a select first, then
 * menu, popover, dialog. The window handles the key before Radix does, whose own order is wrong for some frames after a
 * layer opens. A phone's Back key does the same.
 */
export function useEscape(isOpen: boolean, onEscape: () => void) {
  const close = useEffectEvent(onEscape)
  useBackKey(isOpen, onEscape)
  useLayoutEffect(() => {
    if (!isOpen) return
    const layer = () => close()
    if (layers.push(layer) === 1) window.addEventListener('keydown', closeTopLayer, { capture: true })
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length === 0) window.removeEventListener('keydown', closeTopLayer, { capture: true })
    }
  }, [isOpen])
}

function closeTopLayer(event: KeyboardEvent) {
  if (event.key !== 'Escape' || event.isComposing) return
  event.stopPropagation()
  // The browser closes a select's open list itself if the event is not prevented.
  if (CSS.supports('selector(select:open)') && document.querySelector('select:open')) return
  event.preventDefault()
  layers.at(-1)?.()
}

/** TypeScript has no type for CloseWatcher yet. */
type CloseWatcher = EventTarget & { destroy: () => void }
type WindowWithCloseWatcher = { CloseWatcher?: new () => CloseWatcher }

/** On phones, Back closes the open layer before it leaves the page, in browsers with CloseWatcher (Chromium). */
export function useBackKey(isOpen: boolean, onBack: () => void) {
  const close = useEffectEvent(onBack)
  useLayoutEffect(() => {
    const { CloseWatcher } = window as WindowWithCloseWatcher
    // With a keyboard, CloseWatcher reacts to Escape, which is handled above.
    if (!isOpen || !CloseWatcher || !matchMedia('(pointer: coarse)').matches) return
    let watcher: CloseWatcher | undefined
    const listen = () => {
      watcher = new CloseWatcher()
      watcher.addEventListener('close', () => {
        // A layer that stays open, e.g. to ask a question, must receive the next Back too.
        listen()
        close()
      })
    }
    listen()
    return () => watcher?.destroy()
  }, [isOpen])
}
