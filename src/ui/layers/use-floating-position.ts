import { type RefObject, useLayoutEffect } from 'react'
import { type Align, placeNextTo, type Side } from './placement.ts'

type Options = { side: Side; align: Align; gap?: number }

/** Shows the element in the browser's top layer, above every dialog, and keeps it next to its anchor. */
export function useFloatingPosition(
  floatingRef: RefObject<HTMLElement | null>,
  anchorRef: RefObject<HTMLElement | null>,
  { side, align, gap }: Options,
) {
  useLayoutEffect(() => {
    const floating = floatingRef.current
    if (!floating) return
    if (!floating.matches(':popover-open')) floating.showPopover()

    const place = () => {
      const anchor = anchorRef.current?.getBoundingClientRect()
      if (!anchor) return
      floating.style.maxHeight = ''
      const position = placeNextTo({
        anchor,
        // Not the bounding box, which the opening animation scales.
        floating: { width: floating.offsetWidth, height: floating.offsetHeight },
        viewport: { width: document.documentElement.clientWidth, height: window.innerHeight },
        side,
        align,
        gap,
      })
      floating.dataset.side = position.side
      floating.style.top = `${position.top}px`
      floating.style.left = `${position.left}px`
      floating.style.maxHeight = `${position.maxHeight}px`
    }
    const placeAfterScroll = (event: Event) => {
      if (!(event.target instanceof Node && floating.contains(event.target))) place()
    }

    place()
    window.addEventListener('resize', place)
    window.addEventListener('scroll', placeAfterScroll, { capture: true, passive: true })
    return () => {
      window.removeEventListener('resize', place)
      window.removeEventListener('scroll', placeAfterScroll, { capture: true })
    }
  }, [floatingRef, anchorRef, side, align, gap])
}
