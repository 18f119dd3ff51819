import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutOut, type RgbPicture } from './matte.ts'

type Colour = [number, number, number]
const [orange, blue]: [Colour, Colour] = [
  [230, 120, 20],
  [20, 40, 200],
]

function paint(size: { width: number; height: number }, colourAt: (x: number, y: number) => Colour): RgbPicture {
  const data = Uint8Array.from({ length: size.width * size.height * 3 }, (_, index) => {
    const pixel = Math.floor(index / 3)
    return colourAt(((pixel % size.width) + 0.5) / size.width, (Math.floor(pixel / size.width) + 0.5) / size.height)[
      index % 3
    ]!
  })
  return { data, ...size }
}

const disc = (x: number, y: number): Colour => (Math.hypot(x - 0.5, y - 0.5) < 0.3 ? orange : blue)
const small = paint({ width: 64, height: 64 }, disc)
const large = paint({ width: 512, height: 512 }, disc)

/** As a model gives it: wrong by a point or two around the edge, and never quite sure. */
const blurred = (edge: number) =>
  Uint8Array.from({ length: 64 * 64 }, (_, index) => {
    const distance = Math.hypot(((index % 64) + 0.5) / 64 - 0.5, (Math.floor(index / 64) + 0.5) / 64 - 0.5)
    return Math.round(20 + 210 / (1 + Math.exp((distance - edge) * 60)))
  })

test('a coarse mask becomes a cut along the edge that the picture itself has', () => {
  const result = cutOut(large, small, blurred(0.32))
  let wrong = 0
  for (let pixel = 0; pixel < 512 * 512; pixel++) {
    const isSubject = large.data[pixel * 3]! === orange[0]
    const alpha = result[pixel * 4 + 3]!
    if (isSubject ? alpha < 200 : alpha > 55) wrong++
  }
  assert.ok(wrong / (512 * 512) < 0.01, `${wrong} pixels are on the wrong side`)
})

test('inside the subject every pixel keeps its color and is opaque', () => {
  const result = cutOut(large, small, blurred(0.3))
  const middle = (256 * 512 + 256) * 4
  assert.deepEqual([...result.subarray(middle, middle + 4)], [...orange, 255])
})

test('a pixel that is half background keeps only the color of the subject', () => {
  const soft = (x: number, y: number): Colour => {
    const share = 1 / (1 + Math.exp((Math.hypot(x - 0.5, y - 0.5) - 0.3) * 120))
    return orange.map((value, channel) => Math.round(value * share + blue[channel]! * (1 - share))) as Colour
  }
  const result = cutOut(paint({ width: 512, height: 512 }, soft), paint({ width: 64, height: 64 }, soft), blurred(0.3))
  const partly = Array.from({ length: 512 * 512 }, (_, pixel) => result.subarray(pixel * 4, pixel * 4 + 4)).filter(
    (pixel) => pixel[3]! > 90 && pixel[3]! < 200,
  )
  assert.ok(partly.length > 100)
  const meanBlue = partly.reduce((sum, pixel) => sum + pixel[2]!, 0) / partly.length
  assert.ok(meanBlue < 70, `a blue of ${meanBlue} would shine as a rim; halfway it is 110 in the picture`)
})

test('a picture without any edge is cut without failing', () => {
  const plain = paint({ width: 64, height: 64 }, () => blue)
  assert.equal(cutOut(plain, plain, new Uint8Array(64 * 64)).length, 64 * 64 * 4)
})
