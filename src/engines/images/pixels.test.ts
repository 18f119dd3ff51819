import assert from 'node:assert/strict'
import { test } from 'node:test'
import { averageAreas, findDominantColours, hashDifferences, type RgbaPixels, shrinkToFit } from './pixels.ts'

function paint(width: number, height: number, colourAt: (x: number, y: number) => number[]): RgbaPixels {
  const data = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(colourAt(x, y), (y * width + x) * 4)
  return { data, width, height, channels: 4 }
}

const countDifferences = (one: string, other: string) =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length

test('shrinking keeps the proportions, never enlarges and never loses an edge', () => {
  const sizeOf = (width: number, height: number) => {
    const shrunk = shrinkToFit(
      paint(width, height, () => [0, 0, 0, 255]),
      64,
    )
    return [shrunk.width, shrunk.height]
  }
  assert.deepEqual(sizeOf(400, 300), [64, 48])
  assert.deepEqual(sizeOf(30, 20), [30, 20])
  assert.deepEqual(sizeOf(400, 1), [64, 1])
})

test('transparent pixels add no color to their neighbors', () => {
  const pixels = paint(2, 1, (x) => (x === 0 ? [200, 100, 50, 255] : [0, 255, 0, 0]))
  assert.deepEqual([...averageAreas(pixels, 1, 1).data], [200, 100, 50, 128])
})

test('gray pixels with and without alpha are read', () => {
  const grey = averageAreas({ data: Uint8Array.of(10, 30), width: 2, height: 1, channels: 1 }, 1, 1)
  assert.deepEqual([...grey.data], [20, 20, 20, 255])
  const sheer = averageAreas({ data: Uint8Array.of(10, 255, 99, 0), width: 2, height: 1, channels: 2 }, 2, 1)
  assert.deepEqual([...sheer.data], [10, 10, 10, 255, 0, 0, 0, 0])
})

test('the colors that cover most of the picture come first, and shades of one color count as one', () => {
  const pixels = paint(60, 60, (x, y) =>
    y < 30 ? [20, 40 + (x % 20), 160, 255] : x < 40 ? [220, 200, 60, 255] : [200, 30, 30, 255],
  )
  const colours = findDominantColours(pixels)
  assert.equal(colours.length, 3)
  assert.match(colours[0]!, /^#14..a0$/)
  assert.deepEqual(colours.slice(1), ['#dcc83c', '#c81e1e'])
})

test('a picture of one color has one dominant color, and a transparent picture none', () => {
  assert.deepEqual(findDominantColours(paint(9, 9, () => [1, 2, 3, 255])), ['#010203'])
  assert.deepEqual(findDominantColours(paint(9, 9, () => [1, 2, 3, 0])), [])
})

test('the perceptual hash survives scaling and brightness, and distinguishes different pictures', () => {
  const scene = (scale: number, light: number) =>
    paint(40 * scale, 30 * scale, (x, y) => {
      const [across, down] = [x / scale, y / scale]
      const value =
        120 + light + 60 * Math.sin(across * 0.21 + down * 0.05 + 1) + 40 * Math.cos(down * 0.17 - across * 0.09)
      return [value, value, value, 255].map((part) => Math.max(0, Math.min(255, Math.round(part))))
    })
  const hash = hashDifferences(scene(4, 0))
  assert.match(hash, /^[0-9a-f]{16}$/)
  assert.ok(countDifferences(hash, hashDifferences(scene(2, 0))) <= 4)
  assert.ok(countDifferences(hash, hashDifferences(scene(4, 20))) <= 4)
  const mirrored = paint(160, 120, (x, y) => [(x * 7 + y * 3) % 256, 0, 0, 255])
  assert.ok(countDifferences(hash, hashDifferences(mirrored)) > 12)
})
