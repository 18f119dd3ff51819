import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold, sortKey } from './fold.ts'

test('case, accents, width and ligatures make no difference', () => {
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
  // Put in order, these would take an hour.
  assert.equal(fold(`a${'\u0301\u0316'.repeat(500_000)}`), 'a')
})

test('folding twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(fold(fold(text)), fold(text))
    }),
    { seed: 20_261_115 },
  )
})

test('names sort as people count', () => {
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

test('a number keeps its place however many zeros stand before it, and however long it is', () => {
  assert.equal(sortKey('a007'), sortKey('a7'))
  assert.ok(sortKey('20240101123456789') > sortKey('20240101123456788'))
  assert.ok(sortKey('0') < sortKey('1'))
})
