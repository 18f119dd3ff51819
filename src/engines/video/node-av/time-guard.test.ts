import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTimeGuard } from './time-guard.ts'

const video = { index: 0, fillsPauses: false }
const audio = { index: 1, fillsPauses: true }

test('packets in order are accepted, separately for each stream', () => {
  const isPlausible = createTimeGuard(1_000)
  for (const seconds of [0, 100, 399, 398, 600]) assert.equal(isPlausible(audio, seconds), true)
  assert.equal(isPlausible(video, 200), true)
})

test('packets after the video’s end and many hours of silence are rejected', () => {
  const isPlausible = createTimeGuard(2)
  assert.equal(isPlausible(video, 12_757), false)
  assert.equal(isPlausible(video, 2.1), true)
  const isPlausibleAudio = createTimeGuard(36_000)
  assert.equal(isPlausibleAudio(audio, 20_000), false)
  for (const seconds of [3_600, 3_601, 3_901, 7_000]) assert.equal(isPlausibleAudio(audio, seconds), true)
  assert.equal(isPlausibleAudio(audio, 7_600), false, 'the sum of all pauses is limited')
})

test('a video that stands still for a long time may move again', () => {
  const isPlausible = createTimeGuard(3600)
  for (const seconds of [0, 1, 400, 401, 3500]) assert.equal(isPlausible(video, seconds), true)
})

test('a video of unknown length is accepted as long as its packets follow each other', () => {
  const isPlausible = createTimeGuard(0)
  for (let seconds = 0; seconds < 100_000; seconds += 100) assert.equal(isPlausible(video, seconds), true)
  assert.equal(isPlausible(video, 1_000_000), false)
})
