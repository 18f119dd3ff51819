import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orientationOf } from './orientation.ts'

const one = 65_536
const matrix = (a: number, b: number, c: number, d: number) => [a, b, 0, c, d, 0, 0, 0, 2 ** 30]

test('a video without a display matrix is upright', () => {
  assert.deepEqual(orientationOf(null), { rotation: 0, filters: [] })
  assert.deepEqual(orientationOf(matrix(one, 0, 0, one)), { rotation: 0, filters: [] })
})

test('quarter turns become the matching transposition', () => {
  assert.deepEqual(orientationOf(matrix(0, one, -one, 0)), { rotation: 90, filters: ['transpose=1'] })
  assert.deepEqual(orientationOf(matrix(-one, 0, 0, -one)), { rotation: 180, filters: ['hflip', 'vflip'] })
  assert.deepEqual(orientationOf(matrix(0, -one, one, 0)), { rotation: 270, filters: ['transpose=2'] })
})

test('a mirrored selfie is mirrored and not turned upside down', () => {
  assert.deepEqual(orientationOf(matrix(-one, 0, 0, one)), { rotation: 0, filters: ['hflip'] })
  assert.deepEqual(orientationOf(matrix(one, 0, 0, -one)), { rotation: 0, filters: ['vflip'] })
  assert.deepEqual(orientationOf(matrix(0, one, one, 0)), { rotation: 90, filters: ['transpose=0'] })
  assert.deepEqual(orientationOf(matrix(0, -one, -one, 0)), { rotation: 270, filters: ['transpose=3'] })
})

test('a broken matrix leaves the video upright', () => {
  assert.deepEqual(orientationOf([1, 2, 3]), { rotation: 0, filters: [] })
  assert.deepEqual(orientationOf(matrix(0, 0, 0, 0)), { rotation: 0, filters: [] })
})
