import { type RefObject, useLayoutEffect } from 'react'
import { type Align, placeBeside, type Side } from './placement.ts'

type Options = { side: Side; align: Align; gap?: number }

/** Lifts the element into the browser's top layer, above every dialog, and keeps it beside its anchor. */
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
      const found = placeBeside({
        anchor,
        // Not the bounding box: that one is still scaled by the entrance.
        floating: { width: floating.offsetWidth, height: floating.offsetHeight },
        viewport: { width: document.documentElement.clientWidth, height: window.innerHeight },
        side,
        align,
        gap,
      })
      floating.dataset.side = found.side
      floating.style.top = `${found.top}px`
      floating.style.left = `${found.left}px`
      floating.style.maxHeight = `${found.maxHeight}px`
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
