import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meaningOf } from './swipe.ts'

test('a finger to the side turns the page, down closes, and a tremble means nothing', () => {
  assert.equal(meaningOf(-80, 10), 'next')
  assert.equal(meaningOf(80, -20), 'previous')
  assert.equal(meaningOf(10, 120), 'close')
  assert.equal(meaningOf(30, 5), 'nothing')
  assert.equal(meaningOf(60, 90), 'nothing')
  assert.equal(meaningOf(0, -200), 'nothing')
})
