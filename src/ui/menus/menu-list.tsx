import { type ComponentProps, createContext, type KeyboardEvent, useEffect, useRef } from 'react'
import { FloatingLayer } from '../layers/floating-layer.tsx'
import { itemAfterKey, itemAfterTyping } from './menu-keys.ts'

/** Lets an item close its menu. */
export const MenuContext = createContext<{ close: () => void }>({ close: () => {} })

/** Letters typed within this time form one search. */
const typingPauseMs = 700

type MenuListProps = Omit<ComponentProps<typeof FloatingLayer>, 'role' | 'layerRef' | 'isModal' | 'className'> & {
  /** The initial focus; "none" focuses the list itself, for a menu opened by pointer. */
  start: 'none' | 'first' | 'last'
}

/** An open menu: one tab stop; arrow keys and letters move through the items, Tab and Escape close it. */
export function MenuList({ start, onDismiss, ...props }: MenuListProps) {
  const listRef = useRef<HTMLDivElement>(null)
  const typedRef = useRef({ letters: '', at: 0 })

  useEffect(() => {
    const enabled = enabledItems(listRef.current)
    const first = { none: listRef.current, first: enabled.at(0), last: enabled.at(-1) }[start]
    first?.focus({ preventScroll: true })
  }, [start])

  const handleKey = (event: KeyboardEvent) => {
    // The page's own keyboard shortcuts must not react.
    event.stopPropagation()
    if (event.key === 'Tab') {
      event.preventDefault()
      return onDismiss()
    }
    const enabled = enabledItems(listRef.current)
    const current = enabled.indexOf(document.activeElement as HTMLElement)
    const next = itemAfterKey(event.key, current, enabled.length) ?? findTyped(event, enabled, current)
    if (next === undefined) return
    event.preventDefault()
    enabled[next]?.focus()
  }

  const findTyped = (event: KeyboardEvent, enabled: HTMLElement[], current: number) => {
    const isLetter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isLetter) return undefined
    const { letters, at } = typedRef.current
    const typed = event.timeStamp - at < typingPauseMs ? letters + event.key : event.key
    typedRef.current = { letters: typed, at: event.timeStamp }
    return itemAfterTyping(
      enabled.map((item) => item.textContent ?? ''),
      typed,
      current,
    )
  }

  return (
    <FloatingLayer
      {...props}
      layerRef={listRef}
      role="menu"
      aria-orientation="vertical"
      tabIndex={-1}
      isModal
      onDismiss={onDismiss}
      onKeyDown={handleKey}
      className="flex min-w-44 max-w-72 flex-col p-1"
    />
  )
}

function enabledItems(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)') ?? [])]
}
