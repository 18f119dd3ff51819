import type { Media } from '#features/media/contract.ts'

type Copy = Pick<
  Media,
  'id' | 'size' | 'width' | 'height' | 'createdAt' | 'isFavorite' | 'publicUrl' | 'collections' | 'userDescription'
>

/**
 * Which of several items that show the same picture to keep: the one with the most pixels, then the most bytes; among
 * equals the one that somebody has made something of, then the oldest, which the others were made from.
 */
export function bestCopy<T extends Copy>(group: readonly T[]): T {
  return group.toSorted(
    (a, b) =>
      pixelsOf(b) - pixelsOf(a) ||
      b.size - a.size ||
      careFor(b) - careFor(a) ||
      a.createdAt.localeCompare(b.createdAt) ||
      a.id - b.id,
  )[0]!
}

const pixelsOf = ({ width, height }: Copy) => (width ?? 0) * (height ?? 0)

const careFor = ({ isFavorite, publicUrl, collections, userDescription }: Copy) =>
  Number(isFavorite) + Number(publicUrl !== null) + Number(collections.length > 0) + Number(Boolean(userDescription))
