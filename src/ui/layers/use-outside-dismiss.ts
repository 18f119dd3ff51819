import { type RefObject, type SyntheticEvent, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'

type Options = {
  layerRef: RefObject<HTMLElement | null>
  /** Toggles the layer itself, so it does not count as outside. */
  anchorRef: RefObject<HTMLElement | null>
  /** A press outside only dismisses the layer and does not reach the element under it. */
  isModal: boolean
  onDismiss: () => void
}

/**
 * Dismisses a layer when the user presses or focuses something outside it. A dialog that its content has opened counts as
 * inside, as do toasts. Spread the result over the layer.
 */
export function useOutsideDismiss({ layerRef, anchorRef, isModal, onDismiss }: Options) {
  const dismiss = useEffectEvent(onDismiss)
  /** React's events come from portals too, before the document hears them. */
  const insideEvent = useRef<Event>(undefined)
  const markInside = ({ nativeEvent }: SyntheticEvent) => {
    insideEvent.current = nativeEvent
  }

  useEffect(() => {
    const dismissFromOutside = (event: Event) => {
      const target = event.target as Element
      const isInside = event === insideEvent.current || layerRef.current?.contains(target)
      if (isInside || anchorRef.current?.contains(target) || target.closest('[data-toasts]')) return
      // A dialog around a menu would take the press for one outside itself.
      if (isModal && event.type === 'pointerdown') event.stopPropagation()
      dismiss()
    }
    window.addEventListener('pointerdown', dismissFromOutside, { capture: isModal })
    document.addEventListener('focusin', dismissFromOutside)
    return () => {
      window.removeEventListener('pointerdown', dismissFromOutside, { capture: isModal })
      document.removeEventListener('focusin', dismissFromOutside)
    }
  }, [layerRef, anchorRef, isModal])

  useLayoutEffect(() => {
    const layer = layerRef.current
    if (!isModal || !layer) return
    const covered = surfacesAround(layer).map(({ style }) => ({ style, before: style.pointerEvents }))
    for (const { style } of covered) style.pointerEvents = 'none'
    layer.style.pointerEvents = 'auto'
    return () => {
      for (const { style, before } of covered) style.pointerEvents = before
    }
  }, [layerRef, isModal])

  return { onPointerDownCapture: markInside, onFocusCapture: markInside }
}

/** The page, and the dialogs and popovers that the layer is in. */
function surfacesAround(layer: HTMLElement) {
  const surfaces = [document.body]
  for (let around = layer.parentElement; around; around = around.parentElement)
    if (around.matches('[role$=dialog]')) surfaces.push(around)
  return surfaces
}
