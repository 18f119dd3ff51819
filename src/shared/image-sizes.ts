const shortEdge = 400
/** A panorama is shown as a tile like any other image, so its thumbnail is limited in length too. */
const longestEdge = 1000

/**
 * A card shows a square part of the image, so the short side determines sharpness. Images are never enlarged.
 * Width and height are those of the upright image.
 */
export function thumbnailSize({ width, height }: { width: number; height: number }) {
  const scale = Math.min(1, shortEdge / Math.min(width, height), longestEdge / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

const iconSize = 96

/** An image this small would be blurred at the size of a photograph. */
export const isIcon = (picture: { width: number; height: number }) =>
  Math.max(picture.width, picture.height) <= iconSize
