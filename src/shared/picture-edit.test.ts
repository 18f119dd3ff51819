import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  boundsOf,
  cropOf,
  editedPoint,
  editedSize,
  findEditFault,
  isInside,
  isUnchanged,
  largestCrop,
  noEdit,
  type PictureEdit,
  turned,
} from './picture-edit.ts'

const seed = 20_261_119
const size = fc.record({ width: fc.integer({ min: 2, max: 9000 }), height: fc.integer({ min: 2, max: 9000 }) })
const degrees = fc.double({ min: -45, max: 45, noNaN: true })
const turn = fc.constantFrom<PictureEdit['turn'][]>(0, 90, 180, 270)
const part = fc.double({ min: 0, max: 1, noNaN: true })
const edit = fc.record({ turn, flipHorizontal: fc.boolean(), flipVertical: fc.boolean(), straighten: degrees })
const holds = <T>(values: fc.Arbitrary<T>, check: (value: T) => void) =>
  fc.assert(fc.property(values, check), { seed, numRuns: 1000 })

test('the largest crop of a straightened picture is inside it', () => {
  holds(fc.record({ size, degrees, ratio: fc.double({ min: 0.3, max: 3, noNaN: true }) }), ({ size, degrees, ratio }) =>
    assert.ok(isInside(size, degrees, largestCrop(size, degrees, ratio))),
  )
})

test('the largest crop of a straightened picture touches its edges', () => {
  holds(
    fc.record({ size, degrees, ratio: fc.double({ min: 0.5, max: 2, noNaN: true }) }),
    ({ size, degrees, ratio }) => {
      const { left, top, width, height } = largestCrop(size, degrees, ratio)
      const more = 4
      const larger = { left: left - more, top: top - more, width: width + 2 * more, height: height + 2 * more }
      assert.ok(!isInside(size, degrees, larger))
    },
  )
})

test('a straightened picture that is not straightened keeps its size', () => {
  holds(size, (picture) => {
    assert.deepEqual(boundsOf(picture, 0), { ...picture })
    assert.deepEqual(largestCrop(picture, 0), { left: 0, top: 0, ...picture })
    assert.ok(isUnchanged(picture, noEdit))
  })
})

test('the result of an edit is never larger than the part that is kept, and its longest side is as asked', () => {
  holds(fc.record({ size, edit, side: fc.integer({ min: 1, max: 9000 }) }), ({ size, edit, side }) => {
    const kept = cropOf(size, edit)
    const { width, height } = editedSize(size, { ...edit, longestSide: side })
    assert.ok(width <= kept.width && height <= kept.height)
    assert.equal(Math.max(width, height), Math.min(side, Math.max(kept.width, kept.height)))
  })
})

test('four quarter turns, or two flips, bring every point back', () => {
  holds(fc.record({ size, x: part, y: part }), ({ size, x, y }) => {
    let point = { x, y }
    let picture = size
    for (let times = 0; times < 4; times++) {
      point = editedPoint(point, picture, { ...noEdit, turn: 90 })!
      picture = turned(picture, 90)
    }
    for (const flip of [{ flipHorizontal: true }, { flipVertical: true }])
      for (let times = 0; times < 2; times++) point = editedPoint(point, size, { ...noEdit, ...flip })!
    assert.ok(Math.abs(point.x - x) < 1e-9 && Math.abs(point.y - y) < 1e-9)
  })
})

test('the center of a picture stays in the center of an edit without a crop', () => {
  holds(fc.record({ size, edit }), ({ size, edit }) => {
    const point = editedPoint({ x: 0.5, y: 0.5 }, size, edit)!
    const { width, height } = cropOf(size, edit)
    assert.ok(Math.abs(point.x - 0.5) * width <= 1 && Math.abs(point.y - 0.5) * height <= 1)
  })
})

test('a point outside the crop has no place in the result, and one inside keeps its pixel', () => {
  const picture = { width: 400, height: 200 }
  const crop = { left: 100, top: 50, width: 200, height: 100 }
  assert.equal(editedPoint({ x: 0.1, y: 0.5 }, picture, { ...noEdit, crop }), null)
  assert.deepEqual(editedPoint({ x: 0.5, y: 0.25 }, picture, { ...noEdit, crop }), { x: 0.5, y: 0 })
})

test('an impossible edit is explained in a sentence', () => {
  const picture = { width: 400, height: 200 }
  const faultOf = (changes: Partial<PictureEdit>) => findEditFault(picture, { ...noEdit, ...changes })
  const box = { left: 0, top: 0, width: 400, height: 201 }
  assert.match(faultOf({ crop: box })!.message, /outside the picture, which is 400 × 200 pixels/)
  assert.equal(faultOf({ turn: 90, crop: { ...box, width: 200, height: 400 } }), undefined)
  assert.match(faultOf({ straighten: 10, crop: { ...box, height: 200 } })!.message, /outside the picture/)
  assert.match(faultOf({ longestSide: 401 })!.message, /at most 400 pixels/)
  assert.match(faultOf({ crop: { ...box, height: 200 } })!.message, /nothing to change/)
  assert.equal(faultOf({ longestSide: 399 }), undefined)
})
