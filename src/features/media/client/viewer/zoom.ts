export type Size = { width: number; height: number }
export type Point = { x: number; y: number }
/** How the picture lies on the stage: magnified from its fitted size, its centre moved from the stage's centre. */
export type View = { scale: number } & Point
/** What a view depends on: the picture's own pixels and the room there is. */
export type Frame = { natural: Size; stage: Size }

export const wholePicture: View = { scale: 1, x: 0, y: 0 }

/** As large as fits, but never larger than it is. */
export function fitPicture({ natural, stage }: Frame): Size {
  const scale = Math.min(1, stage.width / natural.width, stage.height / natural.height)
  return { width: natural.width * scale, height: natural.height * scale }
}

/** Far enough to see single pixels, and always some way. */
export function greatestScale(frame: Frame): number {
  const { natural, stage } = frame
  const fitted = fitPicture(frame)
  const fillingScale = Math.min(stage.width / fitted.width, stage.height / fitted.height)
  return Math.max(4, (2 * natural.width) / fitted.width, fillingScale)
}

/** Magnifies around a point (from the stage's centre): what is under the pointer stays there. */
export function zoomTo(view: View, wantedScale: number, at: Point, frame: Frame): View {
  const scale = Math.min(greatestScale(frame), Math.max(1, wantedScale))
  const ratio = scale / view.scale
  return keepInSight({ scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }, frame)
}

/** A picture larger than the stage covers it; a smaller one stands in its middle. */
export function keepInSight(view: View, frame: Frame): View {
  const { width, height } = fitPicture(frame)
  const slackX = Math.max(0, (width * view.scale - frame.stage.width) / 2)
  const slackY = Math.max(0, (height * view.scale - frame.stage.height) / 2)
  return { scale: view.scale, x: clamp(view.x, slackX), y: clamp(view.y, slackY) }
}

export function moveBy(view: View, by: Point, frame: Frame): View {
  return keepInSight({ scale: view.scale, x: view.x + by.x, y: view.y + by.y }, frame)
}

/** Where a double press leads: to the picture's own pixels and back; twice as large where there are no more. */
export function toggledScale(view: View, frame: Frame): number {
  if (view.scale > 1) return 1
  const ownPixels = frame.natural.width / fitPicture(frame).width
  return ownPixels > 1.2 ? ownPixels : 2
}

/** 100 means that one pixel of the picture is one of the page. */
export function shownPercent({ scale }: View, frame: Frame): number {
  return Math.round(((fitPicture(frame).width * scale) / frame.natural.width) * 100)
}

/** How much a turn of the wheel magnifies; pinching on a trackpad arrives as small turns with Ctrl. */
export function wheelFactor({
  deltaY,
  deltaMode,
  ctrlKey,
}: Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'ctrlKey'>): number {
  const lines = deltaMode === 1 ? 16 : 1
  const delta = Math.max(-200, Math.min(200, deltaY * lines))
  return Math.exp(-delta * (ctrlKey ? 0.01 : 0.0025))
}

export type Swipe = 'previous' | 'next' | 'close'

/** What a finger meant that was drawn across a whole picture. */
export function swipeOf({ x, y }: Point): Swipe | undefined {
  if (Math.abs(x) > 60 && Math.abs(x) > 1.5 * Math.abs(y)) return x < 0 ? 'next' : 'previous'
  if (y > 110 && y > 1.5 * Math.abs(x)) return 'close'
  return undefined
}

// Adding zero turns a negative zero, which some comparisons tell apart, into zero.
const clamp = (value: number, most: number) => Math.min(most, Math.max(-most, value)) + 0
