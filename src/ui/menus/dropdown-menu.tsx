import { Slot } from 'radix-ui/slot'
import { type KeyboardEvent, type MouseEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react'
import type { Side } from '../layers/placement.ts'
import { PartOnDemand } from '../part-on-demand.tsx'
import { MenuContext, MenuList } from './menu-list.tsx'

type DropdownMenuProps = {
  /** A Button or IconButton. */
  trigger: ReactElement
  side?: Side
  /** What its items wait for: the menu opens with them, in its right place. */
  prepare?: () => Promise<void>
  /** MenuItem, MenuRadioItem, MenuLabel, MenuSeparator. */
  children: ReactNode
}

type Start = 'none' | 'first' | 'last'

export function DropdownMenu({ trigger, side, prepare, children }: DropdownMenuProps) {
  const id = useId()
  const anchorRef = useRef<HTMLButtonElement>(null)
  /** The item that has the focus at first, or undefined while the menu is closed. */
  const [start, setStart] = useState<Start>()
  const isOpen = start !== undefined
  /** Closed once is closed: what an item does may take the focus, which would count as a press outside and take it away. */
  const hasClosed = useRef(true)

  const open = async (from: Start) => {
    if (prepare) await prepare()
    hasClosed.current = false
    setStart(from)
  }
  const close = () => {
    if (hasClosed.current) return
    hasClosed.current = true
    // Before what the item does: a dialog that it opens gives the focus back to the trigger at the end.
    anchorRef.current?.focus({ preventScroll: true })
    setStart(undefined)
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
        <PartOnDemand onFailed={close}>
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
        </PartOnDemand>
      )}
    </>
  )
}
