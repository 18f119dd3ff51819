export type Side = 'top' | 'bottom' | 'left' | 'right'
export type Align = 'start' | 'center' | 'end'
type Box = { top: number; left: number; width: number; height: number }
type Size = { width: number; height: number }

type Request = {
  anchor: Box
  floating: Size
  viewport: Size
  side: Side
  align: Align
  /** Pixels between anchor and floating box. */
  gap?: number
}

/** Minimum distance from the edge of the screen, in pixels. */
const margin = 8

const opposite: Record<Side, Side> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' }

/** Positions a floating box next to its anchor: on the requested side unless the other has more room, and always on screen. */
export function placeNextTo(request: Request): { top: number; left: number; side: Side; maxHeight: number } {
  const { anchor, floating, viewport, align, gap = 4 } = request
  const room: Record<Side, number> = {
    top: anchor.top - gap - margin,
    bottom: viewport.height - anchor.top - anchor.height - gap - margin,
    left: anchor.left - gap - margin,
    right: viewport.width - anchor.left - anchor.width - gap - margin,
  }
  const isVertical = request.side === 'top' || request.side === 'bottom'
  const needed = isVertical ? floating.height : floating.width
  const other = opposite[request.side]
  const side = room[request.side] < needed && room[other] > room[request.side] ? other : request.side
  const fullHeight = viewport.height - 2 * margin
  // On phones a menu is often taller than the room above or below; it then covers its anchor instead of being cut off.
  const coversAnchor = isVertical && needed > room[side] && needed <= fullHeight
  const maxHeight = Math.max(0, isVertical && !coversAnchor ? room[side] : fullHeight)
  const size = { width: floating.width, height: Math.min(floating.height, maxHeight) }

  const position = {
    top: { top: anchor.top - gap - size.height, left: aligned(anchor.left, anchor.width, size.width, align) },
    bottom: { top: anchor.top + anchor.height + gap, left: aligned(anchor.left, anchor.width, size.width, align) },
    left: { top: aligned(anchor.top, anchor.height, size.height, align), left: anchor.left - gap - size.width },
    right: { top: aligned(anchor.top, anchor.height, size.height, align), left: anchor.left + anchor.width + gap },
  }[side]
  return {
    top: clamp(position.top, margin, viewport.height - size.height - margin),
    left: clamp(position.left, margin, viewport.width - size.width - margin),
    side,
    maxHeight,
  }
}

function aligned(start: number, length: number, ownLength: number, align: Align): number {
  if (align === 'start') return start
  if (align === 'end') return start + length - ownLength
  return start + (length - ownLength) / 2
}

/** When the box is larger than the screen, its start is visible. */
function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(value, max))
}
