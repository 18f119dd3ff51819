import { type KeyboardEvent, useRef } from 'react'
import type { CardKeyHandlers, handleCardKey } from './card-keys.ts'

/** The keys of the cards, which are loaded on first focus. Spread the result on the cards' container. */
export function useCardKeys(handlers: CardKeyHandlers) {
  const handle = useRef<typeof handleCardKey>(undefined)
  async function load() {
    // If loading fails, Tab still works.
    const keys = await import('./card-keys.ts').catch(() => undefined)
    handle.current = keys?.handleCardKey
    return handle.current
  }
  return {
    onFocus: load,
    async onKeyDown(event: KeyboardEvent<HTMLElement>) {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const { key, shiftKey, currentTarget } = event
      if (handle.current)
        return void (handle.current(currentTarget, { key, shiftKey }, handlers) && event.preventDefault())
      // If the user pressed a key before this module loaded, replay it.
      const loaded = await load()
      loaded?.(currentTarget, { key, shiftKey }, handlers)
    },
  }
}
