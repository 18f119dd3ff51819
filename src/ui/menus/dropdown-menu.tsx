import { Slot } from 'radix-ui/slot'
import { type KeyboardEvent, type MouseEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react'
import type { Side } from '../layers/placement.ts'
import { LazyBoundary } from '../lazy-boundary.tsx'
import { MenuContext, MenuList } from './menu-list.tsx'

type DropdownMenuProps = {
  /** A Button or IconButton. */
  trigger: ReactElement
  side?: Side
  /** Awaited before the menu opens, e.g. to load its items, so that its position fits its size. */
  prepare?: () => Promise<void>
  /** MenuItem, MenuRadioItem, MenuLabel, MenuSeparator. */
  children: ReactNode
}

type Start = 'none' | 'first' | 'last'

export function DropdownMenu({ trigger, side, prepare, children }: DropdownMenuProps) {
  const id = useId()
  const anchorRef = useRef<HTMLButtonElement>(null)
  /** The item with the initial focus, or undefined while the menu is closed. */
  const [start, setStart] = useState<Start>()
  const isOpen = start !== undefined
  /** Prevents a second close: an item may move the focus, which would count as a click outside. */
  const hasClosed = useRef(true)

  const open = async (from: Start) => {
    if (prepare) await prepare()
    hasClosed.current = false
    setStart(from)
  }
  const close = () => {
    if (hasClosed.current) return
    hasClosed.current = true
    // Before the item's action, so that a dialog it opens later returns the focus to the trigger.
    anchorRef.current?.focus({ preventScroll: true })
    setStart(undefined)
  }
  const toggle = (event: MouseEvent) => {
    if (isOpen) return close()
    // A click by keyboard has a click count of 0.
    open(event.detail === 0 ? 'first' : 'none')
  }
  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    open(event.key === 'ArrowDown' ? 'first' : 'last')
  }

  return (
    <>
      <Slot
        ref={anchorRef}
        id={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-menu` : undefined}
        onClick={toggle}
        onKeyDown={isOpen ? undefined : openByArrow}
      >
        {trigger}
      </Slot>
      {isOpen && (
        <LazyBoundary onFailed={close}>
          <MenuContext value={{ close }}>
            <MenuList
              id={`${id}-menu`}
              aria-labelledby={id}
              anchorRef={anchorRef}
              side={side}
              align="end"
              start={start}
              onDismiss={close}
            >
              {children}
            </MenuList>
          </MenuContext>
        </LazyBoundary>
      )}
    </>
  )
}
