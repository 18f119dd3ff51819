import {
  type Dispatch,
  type PointerEvent,
  type RefObject,
  type SetStateAction,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import {
  clampView,
  type Frame,
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

/** Two presses within this time and distance are a double press. */
const doublePress = { withinMs: 300, withinPx: 24 }
const atRest: Point = { x: 0, y: 0 }

/** A trackpad pinch. Safari sends gesture events that start at a scale of 1; other browsers send wheel events. */
type SpreadEvent = Event & { scale: number; clientX: number; clientY: number }

type ZoomOptions = {
  stageRef: RefObject<HTMLElement | null>
  frame: Frame
  onSwipe: (swipe: Swipe) => void
  /** The view of several stages that move together. */
  shared?: readonly [View, Dispatch<SetStateAction<View>>]
}

/** Wheel, pinch, drag and double press on a stage. While the picture is not zoomed, a swipe changes the item. */
export function useZoom({ stageRef, frame, onSwipe, shared }: ZoomOptions) {
  const own = useState<View>(wholePicture)
  const [view, setView] = shared ?? own
  const [drawnBy, setDrawnBy] = useState(atRest)
  /** The swipe's current position. Kept in a ref, as a flick may end before a slow phone renders. */
  const swiped = useRef(atRest)
  const pressed = useRef(new Map<number, Point>())
  const lastPress = useRef({ atMs: 0, ...atRest, isMoved: false })
  const spreadSoFar = useRef(1)
  const shown = clampView(view, frame)
  const isMagnified = shown.scale > 1

  /** Relative to the stage's center, as all zoom calculations are. */
  const fromCenter = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const { left, top, width, height } = stageRef.current!.getBoundingClientRect()
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 }
  }
  // Based on the latest state even if it is not rendered yet, as two fingers may move within one frame.
  const changeView = (change: (before: View) => View) => setView((before) => change(clampView(before, frame)))
  const zoomBy = (factor: number, at = atRest) =>
    changeView((before) => zoomTo(before, before.scale * factor, at, frame))
  const swipe = (to: Point) => {
    swiped.current = to
    setDrawnBy(to)
  }

  const turnWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    zoomBy(wheelFactor(event), fromCenter(event))
  })
  const spread = useEffectEvent((event: SpreadEvent) => {
    event.preventDefault()
    const factor = event.type === 'gesturestart' ? 1 : event.scale / spreadSoFar.current
    spreadSoFar.current = event.scale
    // Touch pinches are handled by pointer events.
    if (pressed.current.size === 0) zoomBy(factor, fromCenter(event))
  })
  useEffect(() => {
    const stage = stageRef.current
    // React's listeners are passive, so the page behind would scroll or zoom as well.
    const stop = new AbortController()
    const options = { passive: false, signal: stop.signal }
    stage?.addEventListener('wheel', (event) => turnWheel(event), options)
    for (const name of ['gesturestart', 'gesturechange'])
      stage?.addEventListener(name, (event) => spread(event as SpreadEvent), options)
    return () => stop.abort()
  }, [stageRef])

  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    pressed.current.set(event.pointerId, fromCenter(event))
    lastPress.current.isMoved = pressed.current.size > 1
    // With a second finger the gesture is no swipe.
    if (pressed.current.size > 1) swipe(atRest)
  }
  const move = (event: PointerEvent<HTMLElement>) => {
    const before = pressed.current.get(event.pointerId)
    if (!before) return
    const now = fromCenter(event)
    const other = [...pressed.current].find(([id]) => id !== event.pointerId)?.[1]
    pressed.current.set(event.pointerId, now)
    const by = { x: now.x - before.x, y: now.y - before.y }
    if (Math.hypot(by.x, by.y) > 2) lastPress.current.isMoved = true
    if (other) {
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
      const spread = distance(now, other) / Math.max(1, distance(before, other))
      return changeView((before) => {
        const zoomed = zoomTo(before, before.scale * spread, middle, frame)
        return moveBy(zoomed, { x: by.x / 2, y: by.y / 2 }, frame)
      })
    }
    if (isMagnified) return changeView((before) => moveBy(before, by, frame))
    if (event.pointerType === 'touch') swipe({ x: swiped.current.x + by.x, y: swiped.current.y + by.y })
  }
  const release = (event: PointerEvent<HTMLElement>) => {
    if (!pressed.current.delete(event.pointerId)) return
    const meant = swipeOf(swiped.current)
    swipe(atRest)
    if (meant) return onSwipe(meant)
    if (!lastPress.current.isMoved) noticeDoublePress(event)
  }
  /** The system took over the gesture, such as the back swipe, so it is canceled here. */
  const giveUp = (event: PointerEvent<HTMLElement>) => {
    pressed.current.delete(event.pointerId)
    swipe(atRest)
  }
  const noticeDoublePress = (event: PointerEvent) => {
    const at = fromCenter(event)
    const { atMs, x, y } = lastPress.current
    const isDouble = event.timeStamp - atMs < doublePress.withinMs && distance(at, { x, y }) < doublePress.withinPx
    lastPress.current = { ...at, atMs: isDouble ? 0 : event.timeStamp, isMoved: false }
    if (isDouble) changeView((before) => zoomTo(before, toggledScale(before, frame), at, frame))
  }

  return {
    view: { ...shown, x: shown.x + drawnBy.x, y: shown.y + Math.max(0, drawnBy.y) },
    isMagnified,
    isHeld: pressed.current.size > 0,
    zoomBy,
    showWhole: () => setView(wholePicture),
    moveBy: (by: Point) => changeView((before) => moveBy(before, by, frame)),
    handlers: { onPointerDown: press, onPointerMove: move, onPointerUp: release, onPointerCancel: giveUp },
  }
}

const distance = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y)
