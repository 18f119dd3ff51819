import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateText, estimateWebp, measuredText, qualityWarnings, savingsText, usualQuality } from './convert-text.ts'

const megabyte = 1024 * 1024

test('the initial quality is 80, or 65 for a WebP', () => {
  assert.equal(usualQuality(false), 80)
  assert.equal(usualQuality(true), 65)
})

test('the estimate follows the specification', () => {
  // 10 MB × 80% × 0.35, and 10 MB × 65% × 0.85.
  assert.equal(estimateText(10 * megabyte, 80, false), 'about 2.8 MB, 72% smaller')
  assert.equal(estimateText(10 * megabyte, 65, true), 'about 5.5 MB, 45% smaller')
})

test('the measured size is shown even if the result is larger', () => {
  assert.equal(measuredText({ size: 3 * megabyte, originalSize: 10 * megabyte }), '3.0 MB, 70% smaller')
  assert.equal(
    measuredText({ size: 11 * megabyte, originalSize: 10 * megabyte }),
    '11.0 MB, not smaller than the original',
  )
})

test('the button names the measured savings', () => {
  assert.equal(savingsText({ size: 89, originalSize: 100 }), '11% smaller')
  assert.equal(savingsText({ size: 100, originalSize: 100 }), 'not smaller')
})

test('a warning appears for a quality below 50 and for an image that is already WebP', () => {
  assert.deepEqual(qualityWarnings(50, false), [])
  assert.match(qualityWarnings(45, false)[0]!, /noticeable degradation.*65-85/)
  assert.match(qualityWarnings(80, true)[0]!, /gains may be limited/)
  assert.equal(qualityWarnings(30, true).length, 2)
})

test('the estimate of a conversion follows the specified factors', () => {
  assert.deepEqual(estimateWebp(1000, 80, false), { bytes: 280, savingsPercent: 72 })
  assert.deepEqual(estimateWebp(1000, 65, true), { bytes: 553, savingsPercent: 45 })
  assert.deepEqual(estimateWebp(0, 80, false), { bytes: 0, savingsPercent: 0 })
})
