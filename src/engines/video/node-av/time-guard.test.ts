import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTimeGuard } from './time-guard.ts'

const picture = { index: 0, fillsPauses: false }
const sound = { index: 1, fillsPauses: true }

test('packets in their order are believed, each stream for itself', () => {
  const isPlausible = createTimeGuard(1_000)
  for (const seconds of [0, 100, 399, 398, 600]) assert.equal(isPlausible(sound, seconds), true)
  assert.equal(isPlausible(picture, 200), true)
})

test('a packet after the end of the video is not, nor are pauses of many hours that would be filled', () => {
  const isPlausible = createTimeGuard(2)
  assert.equal(isPlausible(picture, 12_757), false)
  assert.equal(isPlausible(picture, 2.1), true)
  const isPlausibleSound = createTimeGuard(36_000)
  assert.equal(isPlausibleSound(sound, 20_000), false)
  for (const seconds of [3_600, 3_601, 3_901, 7_000]) assert.equal(isPlausibleSound(sound, seconds), true)
  assert.equal(isPlausibleSound(sound, 7_600), false, 'all of them together are bounded')
})

test('a picture that does not move for long is believed to move again', () => {
  const isPlausible = createTimeGuard(3600)
  for (const seconds of [0, 1, 400, 401, 3500]) assert.equal(isPlausible(picture, seconds), true)
})

test('a video of unknown length is believed as long as it goes on', () => {
  const isPlausible = createTimeGuard(0)
  for (let seconds = 0; seconds < 100_000; seconds += 100) assert.equal(isPlausible(picture, seconds), true)
  assert.equal(isPlausible(picture, 1_000_000), false)
})
