import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexAfterKey } from './grid-keys.ts'

test('arrow keys move by rows and columns, into a shorter last row, and stop at the ends', () => {
  const grid = { count: 8, columns: 3 }
  const after = (key: string, from: number) => indexAfterKey(key, from, grid)
  assert.deepEqual(
    [after('ArrowRight', 2), after('ArrowRight', 7), after('ArrowLeft', 3), after('ArrowLeft', 0)],
    [3, 7, 2, 0],
  )
  assert.deepEqual([after('ArrowDown', 1), after('ArrowDown', 5), after('ArrowDown', 6)], [4, 7, 6])
  assert.deepEqual([after('ArrowUp', 4), after('ArrowUp', 2)], [1, 2])
  assert.deepEqual([after('Home', 5), after('End', 5), after('a', 5)], [0, 7, undefined])
})

test('in a single column only up and down move', () => {
  const list = { count: 3, columns: 1 }
  assert.deepEqual(
    ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'].map((key) => indexAfterKey(key, 1, list)),
    [2, 0, 1, 1],
  )
})
