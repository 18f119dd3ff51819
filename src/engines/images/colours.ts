import type { RgbaPixels } from './pixels.ts'

type Cluster = { red: number; green: number; blue: number; count: number }

/** Colours nearer to each other than this look like one (distance in RGB, 441 from black to white). */
const sameColourDistance = 60

/** Up to three colours that cover most of the picture, as `#rrggbb`, the strongest first. */
export function findDominantColours(pixels: RgbaPixels): string[] {
  const clusters: Cluster[] = []
  for (const bucket of countBuckets(pixels)) {
    const near = clusters.find((cluster) => distance(cluster, bucket) < sameColourDistance)
    if (near) merge(near, bucket)
    else clusters.push({ ...bucket })
  }
  return clusters
    .sort((one, other) => other.count - one.count)
    .slice(0, 3)
    .map(toHex)
}

/** Sums of the pixels that share the upper three bits of each channel, the fullest bucket first. */
function countBuckets({ data }: RgbaPixels): Cluster[] {
  const buckets = new Map<number, Cluster>()
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = [data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!]
    if (alpha < 128) continue
    const key = ((red >> 5) << 6) | ((green >> 5) << 3) | (blue >> 5)
    const bucket = buckets.get(key)
    if (bucket) merge(bucket, { red, green, blue, count: 1 })
    else buckets.set(key, { red, green, blue, count: 1 })
  }
  return [...buckets.values()].sort((one, other) => other.count - one.count)
}

function merge(into: Cluster, from: Cluster) {
  into.red += from.red
  into.green += from.green
  into.blue += from.blue
  into.count += from.count
}

function distance(one: Cluster, other: Cluster) {
  return Math.hypot(
    one.red / one.count - other.red / other.count,
    one.green / one.count - other.green / other.count,
    one.blue / one.count - other.blue / other.count,
  )
}

function toHex({ red, green, blue, count }: Cluster) {
  const hex = (sum: number) =>
    Math.round(sum / count)
      .toString(16)
      .padStart(2, '0')
  return `#${hex(red)}${hex(green)}${hex(blue)}`
}
