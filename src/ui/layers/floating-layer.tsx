import { type ComponentProps, type RefObject, useRef } from 'react'
import { classNames } from '../class-names.ts'
import type { Align, Side } from './placement.ts'
import { useEscape } from './use-escape.ts'
import { useFloatingPosition } from './use-floating-position.ts'
import { useOutsideDismiss } from './use-outside-dismiss.ts'

type FloatingLayerProps = ComponentProps<'div'> & {
  anchorRef: RefObject<HTMLElement | null>
  layerRef?: RefObject<HTMLDivElement | null>
  side?: Side
  align?: Align
  /** A click outside only closes the layer and does not reach the element under it. */
  isModal?: boolean
  onDismiss: () => void
}

/**
 * [Note: Floating without a portal] Menus and popovers keep their place in the document and use the browser's popover layer, so
 * a dialog's focus trap includes them and no z-index competes. Radix's positioning library alone is twice as large as our
 * menu, popover, tooltip and select (9.5 kB against 4.9 kB).
 */
export function FloatingLayer(props: FloatingLayerProps) {
  const {
    anchorRef,
    layerRef,
    side = 'bottom',
    align = 'start',
    isModal = false,
    onDismiss,
    className,
    ...rest
  } = props
  const ownRef = useRef<HTMLDivElement>(null)
  const ref = layerRef ?? ownRef
  useFloatingPosition(ref, anchorRef, { side, align })
  useEscape(true, onDismiss)
  const dismissing = useOutsideDismiss({ layerRef: ref, anchorRef, isModal, onDismiss })
  return (
    <div
      {...rest}
      {...dismissing}
      ref={ref}
      popover="manual"
      className={classNames(
        'fixed inset-auto m-0 animate-pop-in overflow-x-hidden overflow-y-auto overscroll-contain',
        'rounded-md border-0 bg-overlay text-ink shadow-float outline-none',
        'origin-top data-[side=left]:origin-right data-[side=right]:origin-left data-[side=top]:origin-bottom',
        className,
      )}
    />
  )
}
