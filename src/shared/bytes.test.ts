import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesInWords, formatBytes } from './bytes.ts'

test('formatBytes uses base 1024 and one decimal', () => {
  const formatted = [0, 1, 512, 1023, 1024, 1536, 524_288_000, 10 * 1024 ** 3, 3 * 1024 ** 4].map((bytes) =>
    formatBytes(bytes),
  )
  assert.deepEqual(formatted, ['0 B', '1 B', '512 B', '1023 B', '1.0 KB', '1.5 KB', '500.0 MB', '10.0 GB', '3072.0 GB'])
})

test('formatBytes shows a size that rounds to 1024 as 1 of the next unit', () => {
  assert.equal(formatBytes(1024 ** 2 - 1), '1.0 MB')
  assert.equal(formatBytes(1024 ** 3 - 1), '1.0 GB')
  assert.equal(formatBytes(1024 ** 4), '1024.0 GB', 'there is no larger unit')
})

test('formatBytes can trim to two decimals, and bytesInWords spells out "Bytes"', () => {
  assert.equal(formatBytes(1536, { digits: 2, isTrimmed: true }), '1.5 KB')
  assert.equal(formatBytes(1300, { digits: 2, isTrimmed: true }), '1.27 KB')
  assert.equal(bytesInWords(0), '0 Bytes')
})
