import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findEditFault, isInside, turned } from '#shared/picture-edit.ts'
import {
  beginDraft,
  chooseRatio,
  type Draft,
  flip,
  type Handle,
  hasChanges,
  moveCrop,
  resizeCrop,
  straightenTo,
  toEdit,
  turnBy,
} from './crop-steps.ts'

const picture = { width: 400, height: 300 }
const sign = fc.constantFrom<(-1 | 0 | 1)[]>(-1, 0, 1)
const distance = fc.integer({ min: -500, max: 500 })
const by = fc.record({ x: distance, y: distance })

type Change = (draft: Draft) => Draft
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom<(90 | -90)[]>(90, -90).map(
    (degrees): Change =>
      (draft) =>
        turnBy(picture, draft, degrees),
  ),
  fc.constantFrom<('horizontal' | 'vertical')[]>('horizontal', 'vertical').map(
    (axis): Change =>
      (draft) =>
        flip(picture, draft, axis),
  ),
  fc.integer({ min: -90, max: 90 }).map(
    (half): Change =>
      (draft) =>
        straightenTo(picture, draft, half / 2),
  ),
  fc.constantFrom(null, 1, 4 / 3, 16 / 9, 1200 / 630).map(
    (ratio): Change =>
      (draft) =>
        chooseRatio(picture, draft, ratio),
  ),
  by.map(
    (step): Change =>
      (draft) =>
        moveCrop(picture, draft, step),
  ),
  fc.tuple(fc.record({ x: sign, y: sign }), by).map(
    ([handle, step]): Change =>
      (draft) =>
        resizeCrop(picture, draft, handle as Handle, step),
  ),
)

test('after any steps in the editor the server accepts the edit', () => {
  const property = fc.property(fc.array(change, { maxLength: 15 }), (changes) => {
    let draft = beginDraft(picture)
    for (const apply of changes) {
      draft = apply(draft)
      for (const value of Object.values(draft.crop)) assert.ok(Number.isInteger(value) && value >= 0)
      assert.ok(isInside(turned(picture, draft.turn), draft.straighten, draft.crop), JSON.stringify(draft))
    }
    const fault = findEditFault(picture, toEdit(picture, draft))
    assert.ok(!fault || /nothing to change/.test(fault.message), fault?.message)
  })
  fc.assert(property, { seed: 20_261_119, numRuns: 500 })
})

test('four quarter turns and two flips leave the draft as it was', () => {
  const cropped = moveCrop(picture, resizeCrop(picture, beginDraft(picture), { x: 1, y: 1 }, { x: -100, y: -50 }), {
    x: 30,
    y: 20,
  })
  let draft = straightenTo(picture, cropped, 3)
  const start = draft
  for (let times = 0; times < 4; times++) draft = turnBy(picture, draft, 90)
  assert.deepEqual(draft, start)
  for (const axis of ['horizontal', 'horizontal', 'vertical', 'vertical'] as const) draft = flip(picture, draft, axis)
  assert.deepEqual(draft, start)
})

test('a mirror image turns the way it is shown', () => {
  const mirrored = flip(picture, beginDraft(picture), 'horizontal')
  assert.equal(turnBy(picture, mirrored, 90).turn, 270)
  assert.equal(turnBy(picture, flip(picture, mirrored, 'vertical'), 90).turn, 90)
})

test('a chosen shape is kept while the crop is resized', () => {
  const square = chooseRatio(picture, beginDraft(picture), 1)
  assert.deepEqual(square.crop, { left: 50, top: 0, width: 300, height: 300 })
  const smaller = resizeCrop(picture, square, { x: 1, y: 1 }, { x: -100, y: -10 })
  assert.deepEqual(smaller.crop, { left: 50, top: 0, width: 200, height: 200 })
  const fromTop = resizeCrop(picture, smaller, { x: 0, y: -1 }, { x: 0, y: 50 })
  assert.deepEqual([fromTop.crop.width, fromTop.crop.height, fromTop.crop.top], [150, 150, 50])
})

test('a crop slides along the edge of the picture', () => {
  const half = resizeCrop(picture, beginDraft(picture), { x: 1, y: 1 }, { x: -200, y: -150 })
  assert.deepEqual(moveCrop(picture, half, { x: 1000, y: 40 }).crop, { left: 200, top: 40, width: 200, height: 150 })
})

test('an untouched draft changes nothing, and a smaller size does', () => {
  const draft = beginDraft(picture)
  assert.equal(hasChanges(picture, draft), false)
  assert.equal(hasChanges(picture, { ...draft, longestSide: 200 }), true)
  assert.deepEqual(toEdit(picture, { ...draft, longestSide: 9000 }), toEdit(picture, draft))
})
