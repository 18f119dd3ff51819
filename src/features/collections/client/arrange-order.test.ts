import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followerOf, isSameSet, moveTo } from './arrange-order.ts'

test('an item moves to its place, and the one that follows is named', () => {
  assert.deepEqual(moveTo([1, 2, 3, 4], 4, 0), [4, 1, 2, 3])
  assert.deepEqual(moveTo([1, 2, 3, 4], 1, 2), [2, 3, 1, 4])
  assert.deepEqual(moveTo([1, 2, 3, 4], 1, 99), [2, 3, 4, 1])
  assert.equal(followerOf([2, 3, 1, 4], 1), 4)
  assert.equal(followerOf([2, 3, 4, 1], 1), null)
})

test('an order of ours counts as long as nothing was added or removed elsewhere', () => {
  assert.equal(isSameSet([3, 1, 2], [1, 2, 3]), true)
  assert.equal(isSameSet([3, 1, 2], [1, 2, 4]), false)
  assert.equal(isSameSet([3, 1, 2], [1, 2]), false)
})
