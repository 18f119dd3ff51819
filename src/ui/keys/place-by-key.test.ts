import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeByKey } from './place-by-key.ts'

test('keys lead over rows and columns, into a last row that is shorter, and not beyond the ends', () => {
  const grid = { count: 8, columns: 3 }
  const after = (key: string, from: number) => placeByKey(key, from, grid)
  assert.deepEqual(
    [after('ArrowRight', 2), after('ArrowRight', 7), after('ArrowLeft', 3), after('ArrowLeft', 0)],
    [3, 7, 2, 0],
  )
  assert.deepEqual([after('ArrowDown', 1), after('ArrowDown', 5), after('ArrowDown', 6)], [4, 7, 6])
  assert.deepEqual([after('ArrowUp', 4), after('ArrowUp', 2)], [1, 2])
  assert.deepEqual([after('Home', 5), after('End', 5), after('a', 5)], [0, 7, undefined])
})

test('in a list only up and down lead on', () => {
  const list = { count: 3, columns: 1 }
  assert.deepEqual(
    ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'].map((key) => placeByKey(key, 1, list)),
    [2, 0, 1, 1],
  )
})
