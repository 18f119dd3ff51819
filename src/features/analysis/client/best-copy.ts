import type { MediaDetails } from '#features/media/contract.ts'

type Copy = Pick<
  MediaDetails,
  | 'id'
  | 'size'
  | 'width'
  | 'height'
  | 'createdAt'
  | 'isFavorite'
  | 'publicUrl'
  | 'collections'
  | 'userDescription'
  | 'colours'
>

/** How far red, green and blue of a colour are apart, of 255: grey as it was drawn, and what anybody calls a colour. */
const spread = { ofGrey: 4, ofColour: 24 }

/**
 * Which of several items that show the same picture to keep: the one with the most pixels, then the most bytes; among
 * equals the one that somebody has made something of, then the oldest, which the others were made from. A black-and-white
 * version is kept only where there is none in colour.
 */
export function bestCopy<T extends Copy>(group: readonly T[]): T {
  const isInColour = group.some((copy) => spreadOf(copy) >= spread.ofColour)
  const copies = isInColour ? group.filter((copy) => spreadOf(copy) > spread.ofGrey) : group
  return copies.toSorted(
    (a, b) =>
      pixelsOf(b) - pixelsOf(a) ||
      b.size - a.size ||
      careFor(b) - careFor(a) ||
      a.createdAt.localeCompare(b.createdAt) ||
      a.id - b.id,
  )[0]!
}

/** Of the most colourful of its colours; a picture whose colours are not known may have any. */
function spreadOf({ colours }: Copy) {
  if (colours.length === 0) return 255
  const ofEach = colours.map((colour) => {
    const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
    return Math.max(...parts) - Math.min(...parts)
  })
  return Math.max(...ofEach)
}

const pixelsOf = ({ width, height }: Copy) => (width ?? 0) * (height ?? 0)

const careFor = ({ isFavorite, publicUrl, collections, userDescription }: Copy) =>
  Number(isFavorite) + Number(publicUrl !== null) + Number(collections.length > 0) + Number(Boolean(userDescription))
