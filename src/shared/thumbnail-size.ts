const shortEdge = 400
/** A panorama is shown as a tile like all others, and is not to weigh as much as ten of them. */
const longestEdge = 1000

/**
 * A card shows a square of the picture's middle, so the short side is what has to be sharp there. Never enlarged. Width and
 * height are those of the picture, upright.
 */
export function thumbnailSize({ width, height }: { width: number; height: number }) {
  const scale = Math.min(1, shortEdge / Math.min(width, height), longestEdge / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}
