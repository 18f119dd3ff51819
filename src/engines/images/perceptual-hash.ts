import { averageAreas, type Pixels } from './pixels.ts'

/**
 * Difference hash: the picture as 9 x 8 greys, one bit for each neighbour to the right that is darker. Scaling,
 * recompression and small changes of light leave most bits as they are.
 */
export function hashDifferences(pixels: Pixels): string {
  const { data } = averageAreas(pixels, 9, 8)
  let bits = 0n
  for (let y = 0; y < 8; y++) {
    for (let x = 0; x < 8; x++) {
      const at = (y * 9 + x) * 4
      bits = (bits << 1n) | (greyOnWhite(data, at) > greyOnWhite(data, at + 4) ? 1n : 0n)
    }
  }
  return bits.toString(16).padStart(16, '0')
}

function greyOnWhite(data: Uint8Array, at: number) {
  const grey = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!
  const alpha = data[at + 3]! / 255
  return grey * alpha + 255 * (1 - alpha)
}
