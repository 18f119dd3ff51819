import type { FocalPoint } from '#shared/cover-crop.ts'

/** The edges of a box, as parts of the picture's width and height. */
export type Corners = { top: number; left: number; bottom: number; right: number }

export const areaOf = ({ top, left, bottom, right }: Corners) => Math.max(0, bottom - top) * Math.max(0, right - left)

/** The shared part of two boxes: 0 where they do not touch, 1 where they are the same. */
export function overlap(a: Corners, b: Corners): number {
  const shared = areaOf({
    top: Math.max(a.top, b.top),
    left: Math.max(a.left, b.left),
    bottom: Math.min(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
  })
  return shared / (areaOf(a) + areaOf(b) - shared)
}

/** The part of a box that is inside the picture. */
export const clipped = ({ top, left, bottom, right }: Corners): Corners => ({
  top: Math.max(0, top),
  left: Math.max(0, left),
  bottom: Math.min(1, bottom),
  right: Math.min(1, right),
})

export const centerOf = ({ top, left, bottom, right }: Corners): FocalPoint => ({
  x: (left + right) / 2,
  y: (top + bottom) / 2,
})

export const contains = ({ top, left, bottom, right }: Corners, { x, y }: FocalPoint) =>
  x >= left && x <= right && y >= top && y <= bottom

/** The smallest box around all of these. */
export const around = (boxes: Corners[]): Corners => ({
  top: Math.min(...boxes.map(({ top }) => top)),
  left: Math.min(...boxes.map(({ left }) => left)),
  bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  right: Math.max(...boxes.map(({ right }) => right)),
})
