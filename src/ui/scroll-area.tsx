import type { KeyboardEventHandler, ReactNode } from 'react'
import { classNames } from './class-names.ts'

type ScrollAreaProps = {
  /** Names the region: with it, the keyboard can reach and scroll what has no control inside. */
  label?: string
  maxHeight?: string
  className?: string
  /** For what scrolls by itself in there, such as a frame. */
  onKeyDown?: KeyboardEventHandler
  children: ReactNode
}

/** The browser's own scrolling, within a height. */
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
