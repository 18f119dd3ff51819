import { useEffect, useRef } from 'react'
import { type ScrapeFlow, stateOf } from './scrape-flow.ts'

/**
 * A step disables or removes what was pressed to begin it: whoever works by keyboard goes on at the head of what the step
 * shows, or in the field if there is nothing to show. Spread the result over the page, whose second-level heads these are.
 */
export function useFocusOfStep(flow: ScrapeFlow) {
  const ref = useRef<HTMLDivElement>(null)
  const isInUse = useRef(false)
  const state = stateOf(flow)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each is another step
  useEffect(() => {
    const focused = document.activeElement
    const isLost = focused?.matches('body, main, :disabled')
    if (!isInUse.current || !isLost) return
    const head = ref.current?.querySelector('h2')
    if (head) head.tabIndex = -1
    const next = head ?? ref.current?.querySelector('input')
    next?.focus()
  }, [state, flow.preview])
  return {
    ref,
    onFocus() {
      isInUse.current = true
    },
  }
}
