import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followerOf, isSameSet, moveTo } from './arrange-order.ts'

test('moving an item returns the new order and the item that follows it', () => {
  assert.deepEqual(moveTo([1, 2, 3, 4], 4, 0), [4, 1, 2, 3])
  assert.deepEqual(moveTo([1, 2, 3, 4], 1, 2), [2, 3, 1, 4])
  assert.deepEqual(moveTo([1, 2, 3, 4], 1, 99), [2, 3, 4, 1])
  assert.equal(followerOf([2, 3, 1, 4], 1), 4)
  assert.equal(followerOf([2, 3, 4, 1], 1), null)
})

test('a local order stays valid until an item is added or removed elsewhere', () => {
  assert.equal(isSameSet([3, 1, 2], [1, 2, 3]), true)
  assert.equal(isSameSet([3, 1, 2], [1, 2, 4]), false)
  assert.equal(isSameSet([3, 1, 2], [1, 2]), false)
})
