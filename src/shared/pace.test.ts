import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSample, formatTimeLeft, paceWords, type Sample, speedOf } from './pace.ts'

const megabyte = 1024 * 1024

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
