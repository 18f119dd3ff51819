import { Slot } from 'radix-ui/slot'
import {
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { classNames } from '../class-names.ts'
import { Kbd } from '../keys/kbd.tsx'
import type { Side } from './placement.ts'
import { useFloatingPosition } from './use-floating-position.ts'

/** Delay before a tooltip shows. */
const openDelayMs = 700
/** Within this time after one has closed, the next shows at once. */
const skipDelayMs = 300
/** Time to move the pointer onto the tooltip itself. */
const leaveDelayMs = 80
/** Waits until the focus has arrived elsewhere; a removal while nothing is focused would make a dialog reclaim the focus. */
const blurDelayMs = 1

/** Closes the open tooltip; and when the last one closed. */
let closeShown: (() => void) | undefined
let lastClosedAt = Number.NEGATIVE_INFINITY

type TooltipProps = {
  content: ReactNode
  shortcut?: string
  /** The content repeats the child's accessible name, so it is not announced again. */
  isName?: boolean
  side?: Side
  /** One focusable element. */
  children: ReactElement
}

export function Tooltip({ content, shortcut, isName = false, side = 'bottom', children }: TooltipProps) {
  const id = useId()
  const anchorRef = useRef<HTMLElement>(null)
  const timerRef = useRef<number>(undefined)
  const [isOpen, setIsOpen] = useState(false)

  const change = (next: boolean, delayMs = 0) => {
    window.clearTimeout(timerRef.current)
    if (delayMs === 0) return setIsOpen(next)
    timerRef.current = window.setTimeout(() => setIsOpen(next), delayMs)
  }
  useEffect(() => () => window.clearTimeout(timerRef.current), [])
  useEffect(() => {
    if (!isOpen) return
    const close = () => setIsOpen(false)
    const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && close()
    closeShown?.()
    closeShown = close
    document.addEventListener('keydown', closeOnEscape, { capture: true })
    return () => {
      document.removeEventListener('keydown', closeOnEscape, { capture: true })
      lastClosedAt = performance.now()
      if (closeShown === close) closeShown = undefined
    }
  }, [isOpen])

  const enter = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return
    change(true, closeShown || performance.now() - lastClosedAt < skipDelayMs ? 0 : openDelayMs)
  }
  const leave = () => change(false, leaveDelayMs)

  return (
    <>
      <Slot
        ref={anchorRef}
        onPointerEnter={enter}
        onPointerLeave={leave}
        onPointerDown={() => change(false)}
        onFocus={(event: FocusEvent) => event.target.matches(':focus-visible') && change(true)}
        onBlur={() => change(false, blurDelayMs)}
        {...(isOpen && !isName && { 'aria-describedby': id })}
      >
        {children}
      </Slot>
      {isOpen && (
        <TooltipBubble
          id={id}
          anchorRef={anchorRef}
          side={side}
          onPointerEnter={() => change(true)}
          onPointerLeave={leave}
        >
          {content}
          {shortcut && <Kbd keys={shortcut} />}
        </TooltipBubble>
      )}
    </>
  )
}

const bubbleClasses = classNames(
  'pointer-events-auto fixed inset-auto m-0 flex max-w-64 animate-fade-in items-center gap-2',
  'rounded-sm border-0 bg-overlay px-2 py-1 text-ink text-xs shadow-float',
)

type BubbleProps = {
  id: string
  anchorRef: React.RefObject<HTMLElement | null>
  side: Side
  onPointerEnter: () => void
  onPointerLeave: () => void
  children: ReactNode
}

function TooltipBubble({ anchorRef, side, ...props }: BubbleProps) {
  const bubbleRef = useRef<HTMLDivElement>(null)
  useFloatingPosition(bubbleRef, anchorRef, { side, align: 'center', gap: 6 })
  return <div {...props} ref={bubbleRef} role="tooltip" popover="manual" className={bubbleClasses} />
}
