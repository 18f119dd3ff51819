export type Rotation = 0 | 90 | 180 | 270

/** How a decoded picture must be turned before a person sees it upright. */
export type Orientation = {
  /** Clockwise degrees. */
  rotation: Rotation
  /** FFmpeg filters that do it; none for most videos. */
  filters: string[]
}

const upright: Orientation = { rotation: 0, filters: [] }

/**
 * Reads a display matrix `a b u c d v x y w` (row by row, 16.16 fixed point for a to d).
 * Only the signs of the larger diagonal matter: cameras turn by quarters and mirror, nothing else.
 */
export function orientationOf(matrix: ArrayLike<number> | null | undefined): Orientation {
  if (!matrix || matrix.length < 9) return upright
  const [a = 0, b = 0, , c = 0, d = 0] = Array.from(matrix)
  if (Math.abs(b) > Math.abs(a)) return quarterTurn(b > 0, c > 0)
  const filters = [a < 0 ? 'hflip' : '', d < 0 ? 'vflip' : ''].filter(Boolean)
  return { rotation: a < 0 && d < 0 ? 180 : 0, filters }
}

/** FFmpeg's numbers: 1 clockwise, 2 counter-clockwise, 0 and 3 the same two with a mirror. */
function quarterTurn(isBPositive: boolean, isCPositive: boolean): Orientation {
  if (isBPositive) return { rotation: 90, filters: [`transpose=${isCPositive ? 0 : 1}`] }
  return { rotation: 270, filters: [`transpose=${isCPositive ? 2 : 3}`] }
}

export const isSideways = ({ rotation }: Orientation) => rotation === 90 || rotation === 270
