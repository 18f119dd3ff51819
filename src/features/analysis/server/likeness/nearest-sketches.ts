import { countBits, sketchBits, sketchBytes } from './sketch.ts'

const words = sketchBytes / 4
/** A part of each sketch excludes most of them at a quarter of the cost; the others are compared whole. */
const coarseWords = words / 4
const wholeCompared = 20

type Near = { slot: number; distance: number }

/** The sketches that differ least from the wanted one, the nearest first. They lie one after the other in `bits`. */
export function nearestSketches(bits: Uint32Array, wanted: Uint32Array, count: number): Near[] {
  const distanceOf = (slot: number, length: number) => {
    let distance = 0
    const offset = slot * words
    for (let at = 0; at < length; at++) distance += countBits(bits[offset + at]! ^ wanted[at]!)
    return distance
  }
  return pickCoarsely(bits.length / words, (slot) => distanceOf(slot, coarseWords), count * wholeCompared)
    .map((slot) => ({ slot, distance: distanceOf(slot, words) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
}

/** The slots with the smallest distances, at least `count`. A histogram finds the limit, so that nothing is sorted. */
function pickCoarsely(length: number, distanceOf: (slot: number) => number, count: number): number[] {
  const distances = new Uint16Array(length)
  const histogram = new Uint32Array(sketchBits + 1)
  for (let slot = 0; slot < length; slot++) {
    const distance = distanceOf(slot)
    distances[slot] = distance
    histogram[distance]!++
  }
  let farthest = 0
  for (let seen = 0; farthest < sketchBits; farthest++) {
    seen += histogram[farthest]!
    if (seen >= count) break
  }
  const near: number[] = []
  for (let slot = 0; slot < length; slot++) if (distances[slot]! <= farthest) near.push(slot)
  return near
}
