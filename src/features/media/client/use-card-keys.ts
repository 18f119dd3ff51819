import { type KeyboardEvent, useRef } from 'react'
import type { moveFocus } from './card-keys.ts'

/** The keys that lead from card to card, which are fetched when one first has the focus. Spread the result around them. */
export function useCardKeys() {
  const move = useRef<typeof moveFocus>(undefined)
  return {
    async onFocus() {
      // Without them Tab still leads everywhere.
      const keys = await import('./card-keys.ts').catch(() => undefined)
      move.current = keys?.moveFocus
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => move.current?.(event),
  }
}
