import { Slot } from 'radix-ui/slot'
import { type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../class-names.ts'
import { FloatingLayer } from './floating-layer.tsx'
import type { Align, Side } from './placement.ts'

type PopoverProps = {
  /** A Button or IconButton. */
  trigger: ReactElement
  label: string
  side?: Side
  align?: Align
  className?: string
  /** The content; a function receives `close`. */
  children: ReactNode | ((close: () => void) => ReactNode)
}

/** A small panel next to its button, for a few controls. */
export function Popover({ trigger, label, side, align, className, children }: PopoverProps) {
  const id = useId()
  const anchorRef = useRef<HTMLButtonElement>(null)
  const layerRef = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)

  useEffect(() => {
    if (!isOpen) return
    const first = layerRef.current?.querySelector<HTMLElement>('input, select, textarea, button, a[href]')
    const target = first ?? layerRef.current
    target?.focus({ preventScroll: true })
  }, [isOpen])

  const close = () => {
    // Only if the focus is inside; a click elsewhere has already moved it.
    if (layerRef.current?.contains(document.activeElement)) anchorRef.current?.focus({ preventScroll: true })
    setIsOpen(false)
  }
  return (
    <>
      <Slot
        ref={anchorRef}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? close() : setIsOpen(true))}
      >
        {trigger}
      </Slot>
      {isOpen && (
        <FloatingLayer
          id={id}
          role="dialog"
          aria-label={label}
          tabIndex={-1}
          anchorRef={anchorRef}
          layerRef={layerRef}
          side={side}
          align={align}
          onDismiss={close}
          className={classNames('w-72 max-w-[calc(100vw-1rem)] p-4', className)}
        >
          {typeof children === 'function' ? children(close) : children}
        </FloatingLayer>
      )}
    </>
  )
}
