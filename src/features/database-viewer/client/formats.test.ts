import assert from 'node:assert/strict'
import { test } from 'node:test'
import { date, dimensions, size } from './formats.ts'

test('the viewer shows sizes with up to two decimals and dates in words', () => {
  assert.deepEqual([0, 512, 1536, 1_234_567].map(size), ['0 B', '512 B', '1.5 KB', '1.18 MB'])
  assert.equal(date('2024-01-05T12:00:00'), 'Jan 5, 2024')
  assert.equal(dimensions({ width: 640, height: 480 }), '640 × 480')
  assert.equal(dimensions({ width: null, height: null }), '—')
})
