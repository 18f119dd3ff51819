import { Slot } from 'radix-ui/slot'
import { type KeyboardEvent, type MouseEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react'
import { MenuContext, MenuList } from './menu-list.tsx'
import type { Align, Side } from './placement.ts'

type DropdownMenuProps = {
  /** A Button or IconButton. */
  trigger: ReactElement
  /** Names the menu for screen readers; the trigger's name when left out. */
  label?: string
  side?: Side
  align?: Align
  className?: string
  onOpenChange?: (isOpen: boolean) => void
  /** MenuItem, MenuCheckboxItem, MenuRadioItem, MenuLabel, MenuSeparator. */
  children: ReactNode
}

type Start = 'none' | 'first' | 'last'

export function DropdownMenu({ trigger, label, side, align, className, onOpenChange, children }: DropdownMenuProps) {
  const id = useId()
  const anchorRef = useRef<HTMLButtonElement>(null)
  /** The item that has the focus at first, or undefined while the menu is closed. */
  const [start, setStart] = useState<Start>()
  const isOpen = start !== undefined

  const open = (from: Start) => {
    setStart(from)
    onOpenChange?.(true)
  }
  const close = () => {
    // Before what the item does: a dialog that it opens gives the focus back to the trigger at the end.
    anchorRef.current?.focus({ preventScroll: true })
    setStart(undefined)
    onOpenChange?.(false)
  }
  const toggle = (event: MouseEvent) => {
    if (isOpen) return close()
    // A press by keyboard has no click count.
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
        <MenuContext value={{ close }}>
          <MenuList
            id={`${id}-menu`}
            {...(label ? { 'aria-label': label } : { 'aria-labelledby': id })}
            anchorRef={anchorRef}
            side={side}
            align={align}
            start={start}
            onDismiss={close}
            className={className}
          >
            {children}
          </MenuList>
        </MenuContext>
      )}
    </>
  )
}
