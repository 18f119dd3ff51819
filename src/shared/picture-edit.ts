type Size = { width: number; height: number }
type Point = { x: number; y: number }
export type CropBox = Size & { left: number; top: number }

/**
 * [Note: Edits of a picture]
 * The steps are always done in this order: the upright picture is turned clockwise, flipped, straightened around its center,
 * cropped and made smaller. A crop is in pixels of the turned picture; of a straightened one it may contain only what the
 * picture covers.
 */
export type PictureEdit = {
  turn: 0 | 90 | 180 | 270
  flipHorizontal: boolean
  flipVertical: boolean
  /** Degrees clockwise. */
  straighten: number
  crop?: CropBox
  /** The longest side of the result; pictures are never enlarged. */
  longestSide?: number
}

export const maxStraighten = 45
/** The longest side that every supported format can hold. */
export const maxEditedSide = 16_383

export const noEdit: PictureEdit = { turn: 0, flipHorizontal: false, flipVertical: false, straighten: 0 }

const radians = (degrees: number) => (degrees * Math.PI) / 180

export const turned = ({ width, height }: Size, turn: PictureEdit['turn']): Size =>
  turn % 180 === 0 ? { width, height } : { width: height, height: width }

/** The size of the smallest upright box around a straightened picture. */
export function boundsOf({ width, height }: Size, degrees: number): Size {
  const [cos, sin] = [Math.cos(radians(degrees)), Math.abs(Math.sin(radians(degrees)))]
  return { width: width * cos + height * sin, height: width * sin + height * cos }
}

/** The largest crop of a shape around the center of a straightened picture; the shape of the picture is the default. */
export function largestCrop(size: Size, degrees: number, ratio = size.width / size.height): CropBox {
  const [cos, sin] = [Math.cos(radians(degrees)), Math.abs(Math.sin(radians(degrees)))]
  // The outermost pixels of a straightened picture are mixed with its background.
  const inset = degrees === 0 ? 0 : 2
  const [within, high] = [Math.max(1, size.width - inset), Math.max(1, size.height - inset)]
  const exact = Math.min(within / (ratio * cos + sin), high / (ratio * sin + cos))
  const width = Math.max(1, Math.floor(exact * ratio + 1e-9))
  const height = Math.max(1, Math.floor(exact + 1e-9))
  return {
    left: Math.floor((size.width - width) / 2),
    top: Math.floor((size.height - height) / 2),
    width,
    height,
  }
}

/** Positions are rounded to whole pixels, which moves a corner by less than this. */
const tolerance = 0.75

/** Whether the picture, turned and straightened, covers the whole crop, and `margin` pixels around it. */
export function isInside(size: Size, degrees: number, crop: CropBox, margin = -tolerance): boolean {
  const { left, top, width, height } = crop
  const corners = [
    { x: left, y: top },
    { x: left + width, y: top },
    { x: left, y: top + height },
    { x: left + width, y: top + height },
  ]
  return corners.every((corner) => {
    const { x, y } = rotated(corner, size, -degrees)
    return x >= margin && y >= margin && x <= size.width - margin && y <= size.height - margin
  })
}

/** A point after a clockwise turn around the center of the picture. */
function rotated({ x, y }: Point, { width, height }: Size, degrees: number): Point {
  const [cos, sin] = [Math.cos(radians(degrees)), Math.sin(radians(degrees))]
  const [dx, dy] = [x - width / 2, y - height / 2]
  return { x: width / 2 + dx * cos - dy * sin, y: height / 2 + dx * sin + dy * cos }
}

/** The part of the turned picture that an edit keeps. */
export function cropOf(picture: Size, { turn, straighten, crop }: PictureEdit): CropBox {
  return crop ?? largestCrop(turned(picture, turn), straighten)
}

/** Width and height of the result. */
export function editedSize(picture: Size, edit: PictureEdit): Size {
  const { width, height } = cropOf(picture, edit)
  const scale = Math.min(1, (edit.longestSide ?? maxEditedSide) / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Why an edit of this picture is impossible, in a sentence with its field, or undefined. */
export function findEditFault(picture: Size, edit: PictureEdit): { field: string; message: string } | undefined {
  const size = turned(picture, edit.turn)
  if (edit.crop && !isInside(size, edit.straighten, edit.crop)) {
    const reach = edit.straighten === 0 ? `${size.width} × ${size.height} pixels` : 'smaller after it is straightened'
    return { field: 'crop', message: `The crop reaches outside the picture, which is ${reach}.` }
  }
  const { width, height } = cropOf(picture, edit)
  const longest = Math.max(width, height)
  if (edit.longestSide !== undefined && edit.longestSide > longest)
    return {
      field: 'longestSide',
      message: `Pictures are not enlarged. The longest side can be at most ${longest} pixels.`,
    }
  return isUnchanged(picture, edit)
    ? { field: 'crop', message: 'There is nothing to change in this picture.' }
    : undefined
}

/** Whether the edit keeps every pixel where it is. */
export function isUnchanged(picture: Size, edit: PictureEdit): boolean {
  const { turn, flipHorizontal, flipVertical, straighten } = edit
  const { width, height } = editedSize(picture, edit)
  return (
    turn === 0 &&
    !flipHorizontal &&
    !flipVertical &&
    straighten === 0 &&
    width === picture.width &&
    height === picture.height
  )
}

/** Where a point of the picture is in the result, both as parts of width and height; null if it was cropped. */
export function editedPoint(point: Point, picture: Size, edit: PictureEdit): Point | null {
  const size = turned(picture, edit.turn)
  const upright = turnedPoint(point, edit.turn)
  const flipped = {
    x: (edit.flipHorizontal ? 1 - upright.x : upright.x) * size.width,
    y: (edit.flipVertical ? 1 - upright.y : upright.y) * size.height,
  }
  const { x, y } = rotated(flipped, size, edit.straighten)
  const { left, top, width, height } = cropOf(picture, edit)
  const placed = { x: (x - left) / width, y: (y - top) / height }
  return placed.x >= 0 && placed.x <= 1 && placed.y >= 0 && placed.y <= 1 ? placed : null
}

function turnedPoint({ x, y }: Point, turn: PictureEdit['turn']): Point {
  if (turn === 90) return { x: 1 - y, y: x }
  if (turn === 180) return { x: 1 - x, y: 1 - y }
  return turn === 270 ? { x: y, y: 1 - x } : { x, y }
}
