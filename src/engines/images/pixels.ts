/** Rows of pixels, 1 to 4 bytes each: gray, gray + alpha, RGB, RGBA (alpha not multiplied in). */
type Pixels = { data: Uint8Array; width: number; height: number; channels: number }
export type RgbaPixels = Pixels & { channels: 4 }

/** Averages areas until neither edge is longer than `maxEdge`; never enlarges. */
export function shrinkToFit(pixels: Pixels, maxEdge: number): RgbaPixels {
  const scale = Math.min(1, maxEdge / Math.max(pixels.width, pixels.height))
  const width = Math.max(1, Math.round(pixels.width * scale))
  const height = Math.max(1, Math.round(pixels.height * scale))
  return averageAreas(pixels, width, height)
}

/** Each new pixel is the mean of the old ones under it, or the nearest old one when there are fewer. */
export function averageAreas(source: Pixels, width: number, height: number): RgbaPixels {
  const { data, channels } = source
  const [green, blue] = channels < 3 ? [0, 0] : [1, 2]
  const hasAlpha = channels === 2 || channels === 4
  const target = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++) {
    const [top, bottom] = span(y, height, source.height)
    for (let x = 0; x < width; x++) {
      const [left, right] = span(x, width, source.width)
      let [r, g, b, a] = [0, 0, 0, 0]
      for (let row = top; row < bottom; row++) {
        let at = (row * source.width + left) * channels
        for (let column = left; column < right; column++, at += channels) {
          // A transparent pixel has no color.
          const alpha = hasAlpha ? data[at + channels - 1]! : 255
          r += data[at]! * alpha
          g += data[at + green]! * alpha
          b += data[at + blue]! * alpha
          a += alpha
        }
      }
      const into = (y * width + x) * 4
      const weight = a || 1
      target[into] = Math.round(r / weight)
      target[into + 1] = Math.round(g / weight)
      target[into + 2] = Math.round(b / weight)
      target[into + 3] = Math.round(a / ((bottom - top) * (right - left)))
    }
  }
  return { data: target, width, height, channels: 4 }
}

function span(index: number, count: number, sourceLength: number): [start: number, end: number] {
  const start = Math.min(sourceLength - 1, Math.floor((index * sourceLength) / count))
  return [start, Math.max(start + 1, Math.floor(((index + 1) * sourceLength) / count))]
}

type Cluster = { red: number; green: number; blue: number; count: number }

/** Colors closer than this look like one (distance in RGB, 441 from black to white). */
const sameColourDistance = 60

/** Up to three colors that cover most of the picture, as `#rrggbb`, the strongest first. */
export function findDominantColours(pixels: RgbaPixels): string[] {
  const clusters: Cluster[] = []
  for (const bucket of countBuckets(pixels)) {
    const match = clusters.find((cluster) => distance(cluster, bucket) < sameColourDistance)
    if (match) merge(match, bucket)
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

/**
 * Difference hash: the picture as 9 x 8 grays, one bit for each right neighbor that is darker. Scaling, recompression and small
 * changes of brightness keep most bits.
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
