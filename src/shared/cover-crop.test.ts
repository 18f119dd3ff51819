import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Crop, coverCrop, coverPosition } from './cover-crop.ts'

const size = fc.record({ width: fc.integer({ min: 1, max: 20_000 }), height: fc.integer({ min: 1, max: 20_000 }) })
const part = fc.double({ min: 0, max: 1, noNaN: true })
const point = fc.record({ x: part, y: part })
const seed = 20_261_119

type Given = { picture: { width: number; height: number }; target: { width: number; height: number } }
function holdsForAll(check: (crop: Crop, given: Given & { focal: { x: number; y: number } }) => void) {
  const property = fc.property(size, size, point, (picture, target, focal) => {
    check(coverCrop(picture, target, focal), { picture, target, focal })
  })
  fc.assert(property, { seed, numRuns: 1000 })
}

test('a cover crop consists of whole pixels inside the picture', () => {
  holdsForAll((crop, { picture }) => {
    for (const value of Object.values(crop)) assert.ok(Number.isInteger(value))
    assert.ok(crop.left >= 0 && crop.top >= 0 && crop.width >= 1 && crop.height >= 1)
    assert.ok(crop.left + crop.width <= picture.width && crop.top + crop.height <= picture.height)
  })
})

test('a cover crop has the shape of its target, to the pixel', () => {
  holdsForAll(({ width, height }, { picture, target }) => {
    const exact = Math.min(picture.width / target.width, picture.height / target.height)
    assert.ok(Math.abs(width - Math.max(1, target.width * exact)) <= 0.5 + 1e-6)
    assert.ok(Math.abs(height - Math.max(1, target.height * exact)) <= 0.5 + 1e-6)
  })
})

test('a cover crop is the largest: it has the whole width or the whole height of the picture', () => {
  holdsForAll(({ width, height }, { picture }) => {
    assert.ok(width === picture.width || height === picture.height)
  })
})

test('a cover crop contains the focal point, in its middle unless an edge of the picture is near', () => {
  holdsForAll(({ left, top, width, height }, { picture, focal }) => {
    const [x, y] = [focal.x * picture.width, focal.y * picture.height]
    assert.ok(x >= left && x <= left + width && y >= top && y <= top + height)
    const isInMiddle = (distance: number, low: number, high: number) =>
      distance <= 0.5 + 1e-6 || low === 0 || high === 0
    assert.ok(isInMiddle(Math.abs(x - left - width / 2), left, picture.width - left - width))
    assert.ok(isInMiddle(Math.abs(y - top - height / 2), top, picture.height - top - height))
  })
})

test('without a focal point a cover crop is cut from the center', () => {
  const picture = { width: 400, height: 300 }
  for (const focal of [undefined, null])
    assert.deepEqual(coverCrop(picture, { width: 1, height: 1 }, focal), { left: 50, top: 0, width: 300, height: 300 })
})

test('a crop is told to CSS by the parts that it leaves out on both sides', () => {
  const wide = { width: 400, height: 100 }
  assert.equal(coverPosition(wide, { width: 1, height: 1 }, { x: 0, y: 0.3 }), '0% 50%')
  assert.equal(coverPosition(wide, { width: 1, height: 1 }, { x: 0.375, y: 0.3 }), '33.3% 50%')
  assert.equal(coverPosition({ width: 100, height: 300 }, { width: 1, height: 1 }, { x: 0.5, y: 0.25 }), '50% 12.5%')
})
