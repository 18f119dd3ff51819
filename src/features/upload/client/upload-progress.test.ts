import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addSample,
  formatTimeLeft,
  overallPercent,
  paceWords,
  type Sample,
  sentPercent,
  simulatedPercent,
  speedOf,
} from './upload-progress.ts'

const megabyte = 1024 * 1024

test('the bar follows the bytes and is held at 90% until the server has answered', () => {
  assert.equal(sentPercent(0, 200), 0)
  assert.equal(sentPercent(100, 200), 50)
  assert.equal(sentPercent(190, 200), 90)
  assert.equal(sentPercent(200, 200), 90)
  assert.equal(sentPercent(0, 0), 90)
})

test('without reported bytes the bar rises by 10% to 90%', () => {
  let percent = 0
  const seen = Array.from({ length: 11 }, () => (percent = simulatedPercent(percent)))
  assert.deepEqual(seen, [10, 20, 30, 40, 50, 60, 70, 80, 90, 90, 90])
})

test('a large file weighs more than a small one', () => {
  assert.equal(overallPercent([]), 0)
  assert.equal(
    overallPercent([
      { percent: 100, file: { size: 100 } },
      { percent: 0, file: { size: 300 } },
    ]),
    25,
  )
})

test('the speed is that of the last five seconds, and unknown before the first', () => {
  let samples: Sample[] = []
  for (let second = 0; second <= 20; second++) {
    const bytes = second <= 10 ? second * megabyte : 10 * megabyte + (second - 10) * 2 * megabyte
    samples = addSample(samples, { atMs: second * 1000, bytes })
  }
  assert.equal(speedOf(samples), 2 * megabyte)
  assert.equal(speedOf([]), undefined)
  assert.equal(speedOf([{ atMs: 0, bytes: 0 }]), undefined)
  assert.equal(
    speedOf([
      { atMs: 0, bytes: 0 },
      { atMs: 500, bytes: megabyte },
    ]),
    undefined,
  )
  const standingStill = [
    { atMs: 0, bytes: 5 },
    { atMs: 3000, bytes: 5 },
  ]
  assert.equal(speedOf(standingStill), undefined)
})

test('time left reads as people say it', () => {
  const words = [0.2, 20, 59.4, 59.6, 150, 3590, 3600, 3900].map(formatTimeLeft)
  assert.deepEqual(words, [
    '1 s left',
    '20 s left',
    '59 s left',
    '1 min left',
    '3 min left',
    '1 h left',
    '1 h left',
    '1 h 5 min left',
  ])
})

test('speed and time left are told only when there is time to read them', () => {
  assert.equal(paceWords(3.1 * megabyte, 62 * megabyte), '3.1 MB/s · 20 s left')
  assert.equal(paceWords(3.1 * megabyte, megabyte), undefined)
  assert.equal(paceWords(undefined, megabyte), undefined)
})
