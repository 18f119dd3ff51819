import {
  type CropBox,
  cropOf,
  isInside,
  isUnchanged,
  largestCrop,
  maxEditedSide,
  type PictureEdit,
  turned,
} from '#shared/picture-edit.ts'

type Size = { width: number; height: number }

/** An edit in progress; its crop is always set and always inside the picture. */
export type Draft = Omit<PictureEdit, 'crop' | 'longestSide'> & {
  crop: CropBox
  /** Width divided by height of the crop; null if it is free. */
  ratio: number | null
  longestSide: number
}

export const beginDraft = (picture: Size): Draft => ({
  turn: 0,
  flipHorizontal: false,
  flipVertical: false,
  straighten: 0,
  crop: { left: 0, top: 0, width: picture.width, height: picture.height },
  ratio: null,
  longestSide: maxEditedSide,
})

/** The request for a draft: without what it leaves alone. */
export function toEdit(picture: Size, { ratio: _ratio, crop, longestSide, ...steps }: Draft): PictureEdit {
  const whole = cropOf(picture, steps)
  const isWhole = whole.width === crop.width && whole.height === crop.height
  const isSmaller = longestSide < Math.max(crop.width, crop.height)
  return { ...steps, ...(!isWhole && { crop }), ...(isSmaller && { longestSide }) }
}

export const hasChanges = (picture: Size, draft: Draft) => !isUnchanged(picture, toEdit(picture, draft))

/** Turns what is shown by a quarter. Below a mirror image, the picture itself turns the other way. */
export function turnBy(picture: Size, draft: Draft, degrees: 90 | -90): Draft {
  const isMirrored = draft.flipHorizontal !== draft.flipVertical
  const turn = ((draft.turn + (isMirrored ? -degrees : degrees) + 360) % 360) as Draft['turn']
  const { width, height } = turned(picture, draft.turn)
  const { left, top, ...size } = draft.crop
  const crop = {
    left: degrees === 90 ? height - top - size.height : top,
    top: degrees === 90 ? left : width - left - size.width,
    width: size.height,
    height: size.width,
  }
  return { ...draft, turn, crop, ratio: draft.ratio && 1 / draft.ratio }
}

/** Mirrors what is shown, which then leans the other way. */
export function flip(picture: Size, draft: Draft, axis: 'horizontal' | 'vertical'): Draft {
  const { width, height } = turned(picture, draft.turn)
  const { crop } = draft
  const straighten = draft.straighten === 0 ? 0 : -draft.straighten
  return axis === 'horizontal'
    ? {
        ...draft,
        straighten,
        flipHorizontal: !draft.flipHorizontal,
        crop: { ...crop, left: width - crop.left - crop.width },
      }
    : {
        ...draft,
        straighten,
        flipVertical: !draft.flipVertical,
        crop: { ...crop, top: height - crop.top - crop.height },
      }
}

/** A crop that was the largest possible one stays that; another one shrinks as far as necessary. */
export function straightenTo(picture: Size, draft: Draft, straighten: number): Draft {
  const size = turned(picture, draft.turn)
  const ratio = draft.ratio ?? undefined
  const largest = largestCrop(size, draft.straighten, ratio)
  const wasLargest = largest.width === draft.crop.width && largest.height === draft.crop.height
  const crop = wasLargest ? largestCrop(size, straighten, ratio) : shrinkInside(size, straighten, draft.crop)
  return { ...draft, straighten, crop }
}

export function chooseRatio(picture: Size, draft: Draft, ratio: number | null): Draft {
  if (ratio === null) return { ...draft, ratio }
  return { ...draft, ratio, crop: largestCrop(turned(picture, draft.turn), draft.straighten, ratio) }
}

/** Shrinks a crop towards the middle of the picture until it is inside. */
function shrinkInside(size: Size, degrees: number, crop: CropBox): CropBox {
  if (isInside(size, degrees, crop)) return crop
  const middle = { left: size.width / 2, top: size.height / 2, width: 0, height: 0 }
  return towards(size, degrees, { from: middle, to: crop })
}

const steps = 24

/** The crop nearest to `to` on the way from a crop that is inside. All crops inside form a convex set, so halving finds it. */
function towards(size: Size, degrees: number, { from, to }: { from: CropBox; to: CropBox }): CropBox {
  // In a straightened picture room is left for rounding.
  const margin = degrees === 0 ? 0 : 0.25
  if (isInside(size, degrees, to, margin)) return to
  let [low, high] = [0, 1]
  const at = (share: number): CropBox => ({
    left: from.left + (to.left - from.left) * share,
    top: from.top + (to.top - from.top) * share,
    width: from.width + (to.width - from.width) * share,
    height: from.height + (to.height - from.height) * share,
  })
  for (let step = 0; step < steps; step++) {
    const middle = (low + high) / 2
    if (isInside(size, degrees, at(middle), margin)) low = middle
    else high = middle
  }
  return inWholePixels(at(low), size)
}

function inWholePixels({ left, top, width, height }: CropBox, size: Size): CropBox {
  const whole = { width: Math.max(1, Math.floor(width)), height: Math.max(1, Math.floor(height)) }
  return {
    ...whole,
    left: Math.min(Math.max(0, Math.round(left)), size.width - whole.width),
    top: Math.min(Math.max(0, Math.round(top)), size.height - whole.height),
  }
}

type Step = { x: number; y: number }

/** Moves the crop; at an edge of the picture it slides along. */
export function moveCrop(picture: Size, draft: Draft, by: Step): Draft {
  const size = turned(picture, draft.turn)
  let crop = draft.crop
  for (const to of [
    { left: Math.round(by.x), top: 0 },
    { left: 0, top: Math.round(by.y) },
  ])
    crop = towards(size, draft.straighten, {
      from: crop,
      to: { ...crop, left: crop.left + to.left, top: crop.top + to.top },
    })
  // Rounding must not change its size.
  return { ...draft, crop: { ...crop, width: draft.crop.width, height: draft.crop.height } }
}

/** The edges that a handle moves: -1 is left or top, 1 is right or bottom, 0 is neither. */
export type Handle = { x: -1 | 0 | 1; y: -1 | 0 | 1 }

const minSide = 8

/** Moves edges of the crop, which keeps its shape if one was chosen. */
export function resizeCrop(picture: Size, draft: Draft, handle: Handle, by: Step): Draft {
  const size = turned(picture, draft.turn)
  const { crop, ratio, straighten } = draft
  let width = Math.max(Math.min(minSide, crop.width), Math.round(crop.width + handle.x * by.x))
  let height = Math.max(Math.min(minSide, crop.height), Math.round(crop.height + handle.y * by.y))
  if (ratio !== null) {
    const leads = handle.y === 0 || (handle.x !== 0 && Math.abs(by.x) >= Math.abs(by.y) * ratio)
    if (leads) height = Math.max(1, Math.round(width / ratio))
    else width = Math.max(1, Math.round(height * ratio))
  }
  const left = handle.x < 0 ? crop.left + crop.width - width : crop.left
  const top = handle.y < 0 ? crop.top + crop.height - height : crop.top
  const from = { ...crop }
  if (ratio !== null) return { ...draft, crop: towards(size, straighten, { from, to: { left, top, width, height } }) }
  const sideways = towards(size, straighten, { from, to: { ...crop, left, width } })
  return { ...draft, crop: towards(size, straighten, { from: sideways, to: { ...sideways, top, height } }) }
}
