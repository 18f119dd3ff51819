import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlaps, rectangleOf } from './rectangle.ts'

test('a rectangle is the same in whichever direction it is drawn', () => {
  const drawn = { left: 1, top: 2, right: 5, bottom: 9 }
  assert.deepEqual(rectangleOf({ x: 1, y: 2 }, { x: 5, y: 9 }), drawn)
  assert.deepEqual(rectangleOf({ x: 5, y: 2 }, { x: 1, y: 9 }), drawn)
})

test('a selection rectangle includes cards that it overlaps, but not those whose edge it only touches', () => {
  const card = { left: 10, top: 10, right: 20, bottom: 20 }
  assert.equal(overlaps({ left: 0, top: 0, right: 11, bottom: 11 }, card), true)
  assert.equal(overlaps({ left: 0, top: 0, right: 10, bottom: 30 }, card), false)
})
