import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTimeGuard } from './time-guard.ts'

test('packets in their order are believed, each stream for itself', () => {
  const isPlausible = createTimeGuard(1_000)
  for (const seconds of [0, 100, 399, 398, 600]) assert.equal(isPlausible(0, seconds), true)
  assert.equal(isPlausible(1, 200), true)
})

test('a packet after the end of the video or after an endless pause is not', () => {
  const isPlausible = createTimeGuard(2)
  assert.equal(isPlausible(0, 12_757), false)
  assert.equal(isPlausible(0, 2.1), true)
  assert.equal(createTimeGuard(36_000)(0, 20_000), false)
})

test('a video of unknown length is believed as long as it goes on', () => {
  const isPlausible = createTimeGuard(0)
  for (let seconds = 0; seconds < 100_000; seconds += 100) assert.equal(isPlausible(0, seconds), true)
})
