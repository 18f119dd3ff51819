import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemAfterKey, itemAfterTyping } from './menu-keys.ts'

const names = ['Rename', 'Duplicate', 'Delete', 'Download']

test('arrow keys move through a menu and wrap around', () => {
  assert.equal(itemAfterKey('ArrowDown', -1, 4), 0)
  assert.equal(itemAfterKey('ArrowDown', 3, 4), 0)
  assert.equal(itemAfterKey('ArrowUp', 0, 4), 3)
  assert.equal(itemAfterKey('ArrowUp', -1, 4), 3)
  assert.equal(itemAfterKey('Home', 2, 4), 0)
  assert.equal(itemAfterKey('End', 0, 4), 3)
})

test('other keys and an empty menu give no item', () => {
  assert.equal(itemAfterKey('a', 0, 4), undefined)
  assert.equal(itemAfterKey('ArrowDown', -1, 0), undefined)
})

test('one letter cycles through the items that begin with it', () => {
  assert.equal(itemAfterTyping(names, 'd', -1), 1)
  assert.equal(itemAfterTyping(names, 'd', 1), 2)
  assert.equal(itemAfterTyping(names, 'ddd', 3), 1)
})

test('several letters find the item that begins with them', () => {
  assert.equal(itemAfterTyping(names, 'do', 1), 3)
  assert.equal(itemAfterTyping(names, 'DEL', 2), 2)
  assert.equal(itemAfterTyping(names, 'x', 0), undefined)
})
