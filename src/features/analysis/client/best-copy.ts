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

/**
 * The difference between the largest and smallest RGB channel, from 0 to 255: up to `ofGray` counts as gray, from `ofColor`
 * as color.
 */
const spread = { ofGray: 4, ofColor: 24 }

/**
 * Chooses which duplicate to keep: most pixels, then most bytes, then the one that is a favorite, public, described or in a
 * collection, then the oldest. A black-and-white version is kept only if there is none in color.
 */
export function bestCopy<T extends Copy>(group: readonly T[]): T {
  const isInColor = group.some((copy) => spreadOf(copy) >= spread.ofColor)
  const copies = isInColor ? group.filter((copy) => spreadOf(copy) > spread.ofGray) : group
  return copies.toSorted(
    (a, b) =>
      pixelsOf(b) - pixelsOf(a) ||
      b.size - a.size ||
      organizationScore(b) - organizationScore(a) ||
      a.createdAt.localeCompare(b.createdAt) ||
      a.id - b.id,
  )[0]!
}

/** Whether the best one is better than the others in more than the size of its file, which says little about a picture. */
export function isClearlyBest<T extends Copy>(best: T, group: readonly T[]) {
  const others = group.filter(({ id }) => id !== best.id)
  const hasMorePixels = others.every((other) => pixelsOf(best) > pixelsOf(other))
  const isOnlyInColor = spreadOf(best) >= spread.ofColor && others.every((other) => spreadOf(other) <= spread.ofGray)
  return hasMorePixels || isOnlyInColor || others.every((other) => organizationScore(best) > organizationScore(other))
}

/** The spread of the most saturated color. A picture whose colors are unknown counts as colorful. */
function spreadOf({ colours }: Copy) {
  if (colours.length === 0) return 255
  const ofEach = colours.map((colour) => {
    const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
    return Math.max(...parts) - Math.min(...parts)
  })
  return Math.max(...ofEach)
}

const pixelsOf = ({ width, height }: Copy) => (width ?? 0) * (height ?? 0)

const organizationScore = ({ isFavorite, publicUrl, collections, userDescription }: Copy) =>
  Number(isFavorite) + Number(publicUrl !== null) + Number(collections.length > 0) + Number(Boolean(userDescription))
