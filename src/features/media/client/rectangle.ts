export type Point = { x: number; y: number }
export type Rectangle = { left: number; top: number; right: number; bottom: number }

export function rectangleOf(a: Point, b: Point): Rectangle {
  return { left: Math.min(a.x, b.x), top: Math.min(a.y, b.y), right: Math.max(a.x, b.x), bottom: Math.max(a.y, b.y) }
}

export function overlaps(a: Rectangle, b: Rectangle) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
