import { type FocusEvent, useEffect, useRef } from 'react'
import { recoverLostFocus } from './lost-focus.ts'

/**
 * When the focused item of a list is removed, the item that takes its position gets the focus; when the list itself is
 * removed, its dialog or screen does. `shown` must change with the items. Each child must be focusable or contain a button
 * or field. Spread the result over the list element.
 */
export function useListFocus<List extends HTMLElement>(shown: string) {
  const ref = useRef<List>(null)
  const focusedIndex = useRef(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the items is what removes the focus
  useEffect(() => {
    const items = [...(ref.current?.children ?? [])] as HTMLElement[]
    const next = items[Math.min(focusedIndex.current, items.length - 1)]
    if (!next || document.activeElement !== document.body) return
    if (next.matches('[tabindex], button')) next.focus()
    else (next.querySelector('button') ?? next.querySelector('input'))?.focus()
  }, [shown])
  useEffect(
    () => () => {
      if (focusedIndex.current >= 0) recoverLostFocus()
    },
    [],
  )
  return {
    ref,
    onFocus({ currentTarget, target }: FocusEvent) {
      focusedIndex.current = [...currentTarget.children].findIndex((item) => item.contains(target))
    },
    // The user moved the focus elsewhere. React fires no blur when the focused element is removed.
    onBlur() {
      focusedIndex.current = -1
    },
  }
}
