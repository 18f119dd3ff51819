import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseByteRange } from './byte-range.ts'

test('a player gets the start, a part, the rest or the end of a file', () => {
  assert.deepEqual(parseByteRange('bytes=0-99', 1000), { start: 0, end: 99 })
  assert.deepEqual(parseByteRange('bytes=500-500', 1000), { start: 500, end: 500 })
  assert.deepEqual(parseByteRange('bytes=900-', 1000), { start: 900, end: 999 })
  assert.deepEqual(parseByteRange('bytes=-100', 1000), { start: 900, end: 999 })
  assert.deepEqual(parseByteRange('Bytes= 0-1 ', 1000), { start: 0, end: 1 })
})

test('a range that reaches past the end is shortened', () => {
  assert.deepEqual(parseByteRange('bytes=900-5000', 1000), { start: 900, end: 999 })
  assert.deepEqual(parseByteRange('bytes=-5000', 1000), { start: 0, end: 999 })
  assert.deepEqual(parseByteRange('bytes=0-99999999999999999999999999', 1000), { start: 0, end: 999 })
})

test('a range that starts past the end is unsatisfiable', () => {
  assert.equal(parseByteRange('bytes=1000-', 1000), 'unsatisfiable')
  assert.equal(parseByteRange('bytes=1000-2000', 1000), 'unsatisfiable')
  assert.equal(parseByteRange('bytes=99999999999999999999999-', 1000), 'unsatisfiable')
  assert.equal(parseByteRange('bytes=-0', 1000), 'unsatisfiable')
  assert.equal(parseByteRange('bytes=0-', 0), 'unsatisfiable')
  assert.equal(parseByteRange('bytes=-5', 0), 'unsatisfiable')
})

test('several ranges, other units and invalid headers get the whole file', () => {
  for (const header of [
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=0-1,5-6',
    'bytes=a-b',
    'bytes=5-2',
    'bytes=1 -2',
    'items=0-5',
    'bytes=-1-2',
    'bytes=0-1;',
    'bytes=0x1-2',
    'bytes=1.5-2',
    'bytes=+1-2',
  ]) {
    assert.equal(parseByteRange(header, 1000), 'whole', String(header))
  }
})

test('every parsed range lies within the file', () => {
  const header = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(), fc.nat()).map(([from, to]) => `bytes=${from}-${to}`),
  )
  fc.assert(
    fc.property(header, fc.nat(5000), (range, bytes) => {
      const wish = parseByteRange(range, bytes)
      if (typeof wish === 'string') return
      assert.ok(0 <= wish.start && wish.start <= wish.end && wish.end < bytes)
    }),
    { seed: 20_261_115 },
  )
})
