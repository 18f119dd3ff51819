import { countBits, sketchBits, sketchBytes } from './sketch.ts'

const words = sketchBytes / 4
/** A part of each sketch excludes most of them at a quarter of the cost; the others are compared whole. */
const coarseWords = words / 4
const wholeCompared = 10

type Near = { slot: number; distance: number }

/** The sketches that differ least from the wanted one, the nearest first. They lie one after the other in `bits`. */
export function nearestSketches(bits: Int32Array, wanted: Int32Array, count: number): Near[] {
  return pickCoarsely(measureCoarsely(bits, wanted), count * wholeCompared)
    .map((slot) => ({ slot, distance: measure(bits, wanted, slot, words) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
}

function measure(bits: Int32Array, wanted: Int32Array, slot: number, length: number): number {
  const offset = slot * words
  let distance = 0
  for (let at = 0; at < length; at++) distance += countBits(bits[offset + at]! ^ wanted[at]!)
  return distance
}

function measureCoarsely(bits: Int32Array, wanted: Int32Array): Uint16Array {
  const distances = new Uint16Array(bits.length / words)
  for (let slot = 0; slot < distances.length; slot++) distances[slot] = measure(bits, wanted, slot, coarseWords)
  return distances
}

/** The slots with the smallest distances, at least `count`. A histogram finds the limit, so that nothing is sorted. */
function pickCoarsely(distances: Uint16Array, count: number): number[] {
  const histogram = new Uint32Array(sketchBits + 1)
  for (let slot = 0; slot < distances.length; slot++) histogram[distances[slot]!]!++
  let farthest = 0
  for (let seen = 0; farthest < sketchBits; farthest++) {
    seen += histogram[farthest]!
    if (seen >= count) break
  }
  const near: number[] = []
  for (let slot = 0; slot < distances.length; slot++) if (distances[slot]! <= farthest) near.push(slot)
  return near
}
