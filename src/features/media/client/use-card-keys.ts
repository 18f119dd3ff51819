import { type KeyboardEvent, useRef } from 'react'
import type { moveFocus } from './card-keys.ts'

/** The keys that lead from card to card, which are fetched when one first has the focus. Spread the result around them. */
export function useCardKeys() {
  const move = useRef<typeof moveFocus>(undefined)
  async function load() {
    // Without them Tab still leads everywhere.
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
      // Whoever was faster than they were is led on when they are there.
      const moveOn = await load()
      moveOn?.(currentTarget, key)
    },
  }
}
