import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPageUrl, checkSelection, checkUrls } from './check-input.ts'
import { describeSize } from './describe-size.ts'
import { progressPercent } from './progress-percent.ts'

test('a page address is required, and must be http or https', () => {
  for (const blank of ['', '   ']) assert.equal(checkPageUrl(blank)?.title, 'URL Required')
  for (const wrong of ['example.com', 'ftp://example.com', 'javascript:alert(1)', 'http://', 'mailto:a@b.c', 'data:,x'])
    assert.deepEqual(checkPageUrl(wrong), {
      title: 'Invalid URL',
      description: 'Please enter a valid HTTP or HTTPS URL',
    })
  for (const right of ['https://example.com', ' http://example.com/a?b#c ', 'HTTPS://EXAMPLE.COM'])
    assert.equal(checkPageUrl(right), null, right)
})

test('one valid image address is enough, and none is an error', () => {
  assert.equal(checkUrls(['', 'nonsense', 'https://example.com/a.jpg']), null)
  for (const texts of [[], ['', ' '], ['nonsense', 'ftp://x/y.png']])
    assert.deepEqual(checkUrls(texts), {
      title: 'No Valid URLs',
      description: 'Please enter at least one valid image URL',
    })
})

test('selecting no image is an error', () => {
  assert.equal(checkSelection(1), null)
  assert.equal(checkSelection(0)?.title, 'No Images Selected')
})

test('progress is 10 at the start, 10 to 90 while images arrive and 100 at the end', () => {
  assert.equal(progressPercent(null), 0)
  assert.equal(progressPercent({ step: 'starting', current: 0, total: 4 }), 10)
  assert.equal(progressPercent({ step: 'processing', current: 1, total: 4 }), 30)
  assert.equal(progressPercent({ step: 'processing', current: 4, total: 4 }), 90)
  assert.equal(progressPercent({ step: 'processing', current: 0, total: 0 }), 10)
  assert.equal(progressPercent({ step: 'complete', current: 4, total: 4 }), 100)
})

test('only the known parts of an image’s size are described', () => {
  assert.equal(describeSize({ width: 1600, height: 900, bytes: 2048 }), '1600 × 900 · 2.0 KB')
  assert.equal(describeSize({ width: 1600 }), '')
  assert.equal(describeSize({ bytes: 10 }), '10 B')
})
