import { type KeyboardEvent, useRef } from 'react'
import type { moveFocus } from './card-keys.ts'

/** Keyboard navigation between cards, which is loaded on first focus. Spread the result on the cards' container. */
export function useCardKeys() {
  const move = useRef<typeof moveFocus>(undefined)
  async function load() {
    // If loading fails, Tab still works.
    const keys = await import('./card-keys.ts').catch(() => undefined)
    move.current = keys?.moveFocus
    return move.current
  }
  return {
    onFocus: load,
    async onKeyDown(event: KeyboardEvent<HTMLElement>) {
      if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
      const { key, currentTarget } = event
      if (move.current) return void (move.current(currentTarget, key) && event.preventDefault())
      // If the user pressed a key before this module loaded, replay it.
      const loaded = await load()
      loaded?.(currentTarget, key)
    },
  }
}
