import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laterFrames } from './decoder.ts'

test('later frames are searched within a limit of a hundred megapixels', () => {
  assert.deepEqual([...laterFrames({ frames: 24, width: 80, height: 60 })], [1, 2, 3, 4, 6, 12])
  assert.deepEqual([...laterFrames({ frames: 500, width: 2000, height: 2000 })], [1, 2, 3, 4])
  assert.deepEqual([...laterFrames({ frames: 500, width: 9000, height: 9000 })], [])
  assert.deepEqual([...laterFrames({ frames: 2, width: 10, height: 10 })], [1])
})
