import { type FocusEvent, useEffect, useRef } from 'react'
import { leadLostFocusOn } from './take-lost-focus.ts'

/**
 * An item of a list that goes takes the focus with it: whoever works by keyboard goes on at the one in its place. `shown`
 * names what the list shows; each child is an item, or has a button or a field. Spread the result over the list. When the
 * last item goes, and the list with it, it is the dialog or the screen around.
 */
export function useFocusThatStays<List extends HTMLElement>(shown: string) {
  const ref = useRef<List>(null)
  const place = useRef(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is what takes the focus away
  useEffect(() => {
    const items = [...(ref.current?.children ?? [])] as HTMLElement[]
    const next = items[Math.min(place.current, items.length - 1)]
    if (!next || document.activeElement !== document.body) return
    if (next.matches('[tabindex], button')) next.focus()
    else (next.querySelector('button') ?? next.querySelector('input'))?.focus()
  }, [shown])
  useEffect(
    () => () => {
      if (place.current >= 0) leadLostFocusOn()
    },
    [],
  )
  return {
    ref,
    onFocus({ currentTarget, target }: FocusEvent) {
      place.current = [...currentTarget.children].findIndex((item) => item.contains(target))
    },
    // Whoever leaves by themselves is not fetched back. React tells nothing when what has the focus is removed.
    onBlur() {
      place.current = -1
    },
  }
}
