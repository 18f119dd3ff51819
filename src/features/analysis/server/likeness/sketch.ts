/**
 * [Note: A sketch is 1,024 signs]
 * Each bit is the side of one of 1,024 fixed random planes on which a vector lies. The share of differing bits is the angle
 * between two vectors divided by 180 degrees, so 128 bytes per item instead of 1,280 are enough for a ranking. The best
 * matches are then compared exactly.
 */
export const sketchBits = 1024
export const sketchBytes = sketchBits / 8

const planes = new Map<number, Int8Array>()

export function makeSketch(vector: Int8Array | Float32Array): Uint8Array {
  const size = vector.length
  const signs = planes.get(size) ?? makePlanes(size)
  planes.set(size, signs)
  const sketch = new Uint8Array(sketchBytes)
  for (let bit = 0; bit < sketchBits; bit++) {
    let sum = 0
    const offset = bit * size
    for (let at = 0; at < size; at++) sum += vector[at]! * signs[offset + at]!
    if (sum > 0) sketch[bit >> 3]! |= 1 << (bit & 7)
  }
  return sketch
}

/** Must be the same on every machine and in every version, as sketches are stored. */
function makePlanes(size: number): Int8Array {
  const signs = new Int8Array(size * sketchBits)
  let state = 0x9e3779b9
  for (let at = 0; at < signs.length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    signs[at] = state & 0x10000 ? 1 : -1
  }
  return signs
}

/** The cosine of two vectors, estimated from the number of bits in which their sketches differ. */
export const likenessOfSketches = (distance: number) => Math.cos((distance / sketchBits) * Math.PI)

export const asInt8 = (bytes: Uint8Array) => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)

/** `Math.imul` keeps the numbers integers, which is much faster. */
export function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
