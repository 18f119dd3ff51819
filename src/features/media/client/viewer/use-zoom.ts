import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import {
  type Frame,
  keepInSight,
  moveBy,
  type Point,
  type Swipe,
  swipeOf,
  toggledScale,
  type View,
  wheelFactor,
  wholePicture,
  zoomTo,
} from './zoom.ts'

/** Two presses within this time and distance are one double press. */
const doublePress = { withinMs: 300, withinPx: 24 }
const atRest: Point = { x: 0, y: 0 }

type ZoomOptions = { stageRef: RefObject<HTMLElement | null>; frame: Frame; onSwipe: (swipe: Swipe) => void }

/** Wheel, pinch, drag and double press on a stage. While the whole picture shows, a finger turns pages instead. */
export function useZoom({ stageRef, frame, onSwipe }: ZoomOptions) {
  const [view, setView] = useState<View>(wholePicture)
  const [swiped, setSwiped] = useState(atRest)
  const pressed = useRef(new Map<number, Point>())
  const lastPress = useRef({ atMs: 0, ...atRest, isMoved: false })
  const shown = keepInSight(view, frame)
  const isMagnified = shown.scale > 1

  /** From the middle of the stage, as the arithmetic counts. */
  const fromCentre = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const { left, top, width, height } = stageRef.current!.getBoundingClientRect()
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 }
  }
  const zoomBy = (factor: number, at = atRest) => setView(zoomTo(shown, shown.scale * factor, at, frame))

  const turnWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    zoomBy(wheelFactor(event), fromCentre(event))
  })
  useEffect(() => {
    const stage = stageRef.current
    // React listens passively, and then the page behind would scroll or zoom as well.
    const listen = (event: WheelEvent) => turnWheel(event)
    stage?.addEventListener('wheel', listen, { passive: false })
    return () => stage?.removeEventListener('wheel', listen)
  }, [stageRef])

  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    pressed.current.set(event.pointerId, fromCentre(event))
    lastPress.current.isMoved = pressed.current.size > 1
    // A second finger: what the first one did was no swipe.
    if (pressed.current.size > 1) setSwiped(atRest)
  }
  const move = (event: PointerEvent<HTMLElement>) => {
    const before = pressed.current.get(event.pointerId)
    if (!before) return
    const now = fromCentre(event)
    const other = [...pressed.current].find(([id]) => id !== event.pointerId)?.[1]
    pressed.current.set(event.pointerId, now)
    const by = { x: now.x - before.x, y: now.y - before.y }
    if (Math.hypot(by.x, by.y) > 2) lastPress.current.isMoved = true
    if (other) {
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
      const spread = distance(now, other) / Math.max(1, distance(before, other))
      return setView(moveBy(zoomTo(shown, shown.scale * spread, middle, frame), { x: by.x / 2, y: by.y / 2 }, frame))
    }
    if (isMagnified) return setView(moveBy(shown, by, frame))
    if (event.pointerType === 'touch') setSwiped({ x: swiped.x + by.x, y: swiped.y + by.y })
  }
  const release = (event: PointerEvent<HTMLElement>) => {
    if (!pressed.current.delete(event.pointerId)) return
    const swipe = swipeOf(swiped)
    setSwiped(atRest)
    if (swipe) return onSwipe(swipe)
    if (!lastPress.current.isMoved) noticeDoublePress(event)
  }
  const noticeDoublePress = (event: PointerEvent) => {
    const at = fromCentre(event)
    const { atMs, x, y } = lastPress.current
    const isDouble = event.timeStamp - atMs < doublePress.withinMs && distance(at, { x, y }) < doublePress.withinPx
    lastPress.current = { ...at, atMs: isDouble ? 0 : event.timeStamp, isMoved: false }
    if (isDouble) setView(zoomTo(shown, toggledScale(shown, frame), at, frame))
  }

  return {
    view: { ...shown, x: shown.x + swiped.x, y: shown.y + Math.max(0, swiped.y) },
    isMagnified,
    isHeld: pressed.current.size > 0,
    zoomBy,
    showWhole: () => setView(wholePicture),
    moveBy: (by: Point) => setView(moveBy(shown, by, frame)),
    handlers: { onPointerDown: press, onPointerMove: move, onPointerUp: release, onPointerCancel: release },
  }
}

const distance = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y)
