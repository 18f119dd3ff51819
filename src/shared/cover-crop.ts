type Size = { width: number; height: number }

/** A point as parts of the width and height of an upright picture, from 0 to 1. */
export type FocalPoint = { x: number; y: number }
export type Crop = Size & { left: number; top: number }

export const center: FocalPoint = { x: 0.5, y: 0.5 }

/**
 * The largest part of a picture, in whole pixels, that has the shape of the target, with the focal point as near to its
 * middle as the picture's edges allow.
 */
export function coverCrop(picture: Size, target: Size, focalPoint: FocalPoint | null = center): Crop {
  const { x, y } = focalPoint ?? center
  const isWider = picture.width * target.height > picture.height * target.width
  const width = isWider ? scaled(picture.height, target.width, target.height) : picture.width
  const height = isWider ? picture.height : scaled(picture.width, target.height, target.width)
  return {
    left: Math.round(clamp(x * picture.width - width / 2, picture.width - width)),
    top: Math.round(clamp(y * picture.height - height / 2, picture.height - height)),
    width,
    height,
  }
}

/** A crop is at least one pixel, however extreme the target's shape is. */
const scaled = (edge: number, part: number, whole: number) => Math.max(1, Math.round((edge * part) / whole))

const clamp = (value: number, max: number) => Math.min(Math.max(value, 0), max)

/** The same crop as a CSS object-position of a picture that covers its box. */
export function coverPosition(picture: Size, target: Size, focalPoint: FocalPoint | null): string {
  const { left, top, width, height } = coverCrop(picture, target, focalPoint)
  return `${percentage(left, picture.width - width)} ${percentage(top, picture.height - height)}`
}

/** Where the picture does not overflow its box, no position differs from another. */
const percentage = (hidden: number, overflow: number) =>
  `${overflow === 0 ? 50 : Math.round((hidden / overflow) * 1000) / 10}%`
