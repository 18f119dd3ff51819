import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monthAt, pageOfMonth, startOfMonth, yearsAlong } from './place-months.ts'

const months = [
  { month: '2026-02', count: 50, offset: 0 },
  { month: '2026-01', count: 49, offset: 50 },
  { month: '2025-12', count: 1, offset: 99 },
  { month: '2019-07', count: 100, offset: 100 },
]

test('a month has its place along the list, and each place its month', () => {
  assert.deepEqual(
    months.map((_month, index) => startOfMonth(months, index)),
    [0, 0.25, 0.495, 0.5],
  )
  assert.deepEqual(
    [-1, 0, 0.24, 0.25, 0.497, 0.5, 1, 2].map((point) => monthAt(months, point)),
    [0, 0, 0, 1, 2, 3, 3, 3],
  )
})

test('a month begins on the page that has its first item', () => {
  assert.deepEqual(
    months.map((month) => pageOfMonth(month, 50)),
    [1, 2, 2, 3],
  )
})

test('years whose labels would overlap are left out', () => {
  assert.deepEqual(
    yearsAlong(months).map(({ year }) => year),
    ['2026', '2025'],
  )
})
