import type { KeyboardEventHandler, ReactNode } from 'react'
import { classNames } from './class-names.ts'

type ScrollAreaProps = {
  /** Names the region and makes it focusable, so that content without controls can be scrolled by keyboard. */
  label?: string
  maxHeight?: string
  className?: string
  /** For content that scrolls by itself, such as an iframe. */
  onKeyDown?: KeyboardEventHandler
  children: ReactNode
}

/** A scrollable region of limited height. */
export function ScrollArea({ label, maxHeight, className, onKeyDown, children }: ScrollAreaProps) {
  return (
    <section
      aria-label={label}
      tabIndex={label ? 0 : undefined}
      onKeyDown={onKeyDown}
      style={{ maxHeight }}
      className={classNames('overflow-auto overscroll-contain focus-visible:-outline-offset-2', className)}
    >
      {children}
    </section>
  )
}
