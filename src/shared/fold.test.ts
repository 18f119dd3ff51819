import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold, sortKey } from './fold.ts'

test('fold ignores case, accents, width and ligatures', () => {
  for (const [one, other] of [
    ['Café CRÈME', 'cafe creme'],
    ['Straße', 'STRASSE'],
    ['Ｔｏｋｙｏ', 'tokyo'],
    ['İstanbul', 'istanbul'],
    ['Øresund', 'oresund'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ﬁlm', 'film'],
  ] as const)
    assert.equal(fold(one), fold(other), one)
  // NFKD alone would take an hour to sort these marks.
  assert.equal(fold(`a${'\u0301\u0316'.repeat(500_000)}`), 'a')
})

test('fold is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(fold(fold(text)), fold(text))
    }),
    { seed: 20_261_115 },
  )
})

test('sortKey sorts numbers in names by value', () => {
  const names = ['img 10.jpg', 'IMG 2.jpg', 'img 1.jpg', 'Ähre.jpg', 'apfel.jpg', 'img 002b.jpg', 'zebra.jpg']
  const sorted = names.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  assert.deepEqual(sorted, [
    'Ähre.jpg',
    'apfel.jpg',
    'img 1.jpg',
    'IMG 2.jpg',
    'img 002b.jpg',
    'img 10.jpg',
    'zebra.jpg',
  ])
})

test('sortKey ignores leading zeros and compares long numbers', () => {
  assert.equal(sortKey('a007'), sortKey('a7'))
  assert.ok(sortKey('20240101123456789') > sortKey('20240101123456788'))
  assert.ok(sortKey('0') < sortKey('1'))
})
