export type Size = { width: number; height: number }
export type Point = { x: number; y: number }
/** The picture's position: its scale relative to the fitted size, and the offset of its center from the stage's center. */
export type View = { scale: number } & Point
/** The inputs of a view: the picture's natural size and the stage's size. */
export type Frame = { natural: Size; stage: Size }

export const wholePicture: View = { scale: 1, x: 0, y: 0 }

/** As large as fits, but not larger than the natural size. */
export function fitPicture({ natural, stage }: Frame): Size {
  const scale = Math.min(1, stage.width / natural.width, stage.height / natural.height)
  return { width: natural.width * scale, height: natural.height * scale }
}

/** Enough to see single pixels, and at least some zoom for any picture. */
export function maxScale(frame: Frame): number {
  const { natural, stage } = frame
  const fitted = fitPicture(frame)
  const fillingScale = Math.min(stage.width / fitted.width, stage.height / fitted.height)
  return Math.max(4, (2 * natural.width) / fitted.width, fillingScale)
}

/** Zooms around a point, given relative to the stage's center, which stays under the pointer. */
export function zoomTo(view: View, wantedScale: number, at: Point, frame: Frame): View {
  const scale = Math.min(maxScale(frame), Math.max(1, wantedScale))
  const ratio = scale / view.scale
  return clampView({ scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }, frame)
}

/** A picture larger than the stage always covers it; a smaller one is centered. */
export function clampView(view: View, frame: Frame): View {
  const { width, height } = fitPicture(frame)
  const slackX = Math.max(0, (width * view.scale - frame.stage.width) / 2)
  const slackY = Math.max(0, (height * view.scale - frame.stage.height) / 2)
  return { scale: view.scale, x: clamp(view.x, slackX), y: clamp(view.y, slackY) }
}

export function moveBy(view: View, by: Point, frame: Frame): View {
  return clampView({ scale: view.scale, x: view.x + by.x, y: view.y + by.y }, frame)
}

/**
 * A double press toggles between the fitted and the natural size, or twice the fitted size if the natural one is no larger.
 */
export function toggledScale(view: View, frame: Frame): number {
  if (view.scale > 1) return 1
  const ownPixels = frame.natural.width / fitPicture(frame).width
  return ownPixels > 1.2 ? ownPixels : 2
}

/** 100 means that one pixel of the picture is one CSS pixel. */
export function shownPercent({ scale }: View, frame: Frame): number {
  return Math.round(((fitPicture(frame).width * scale) / frame.natural.width) * 100)
}

/** The zoom factor of a wheel event. A trackpad pinch arrives as small wheel events with Ctrl. */
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

/** The direction of a swipe on a picture that is not zoomed. */
export function swipeOf({ x, y }: Point): Swipe | undefined {
  if (Math.abs(x) > 60 && Math.abs(x) > 1.5 * Math.abs(y)) return x < 0 ? 'next' : 'previous'
  if (y > 110 && y > 1.5 * Math.abs(x)) return 'close'
  return undefined
}

// Adding zero turns negative zero into zero, which some comparisons treat as different.
const clamp = (value: number, most: number) => Math.min(most, Math.max(-most, value)) + 0
