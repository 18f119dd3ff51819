import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSpeedSample, averageSpeed, describeTransfer, formatTimeLeft, type SpeedSample } from './transfer-speed.ts'

const megabyte = 1024 * 1024

test('averageSpeed covers the last five seconds and is undefined before the first', () => {
  let samples: SpeedSample[] = []
  for (let second = 0; second <= 20; second++) {
    const bytes = second <= 10 ? second * megabyte : 10 * megabyte + (second - 10) * 2 * megabyte
    samples = addSpeedSample(samples, { atMs: second * 1000, bytes })
  }
  assert.equal(averageSpeed(samples), 2 * megabyte)
  assert.equal(averageSpeed([]), undefined)
  assert.equal(averageSpeed([{ atMs: 0, bytes: 0 }]), undefined)
  assert.equal(
    averageSpeed([
      { atMs: 0, bytes: 0 },
      { atMs: 500, bytes: megabyte },
    ]),
    undefined,
  )
  const unchanged = [
    { atMs: 0, bytes: 5 },
    { atMs: 3000, bytes: 5 },
  ]
  assert.equal(averageSpeed(unchanged), undefined)
})

test('formatTimeLeft rounds to seconds, minutes or hours', () => {
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

test('describeTransfer returns undefined when fewer than two seconds are left', () => {
  assert.equal(describeTransfer(3.1 * megabyte, 62 * megabyte), '3.1 MB/s · 20 s left')
  assert.equal(describeTransfer(3.1 * megabyte, megabyte), undefined)
  assert.equal(describeTransfer(undefined, megabyte), undefined)
})
