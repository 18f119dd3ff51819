import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzzyScore } from './fuzzy.ts'

const names = ['Move to Collection', 'Move to Trash', 'Trash', 'Sort by name', 'Collections', 'Übersicht']

/** The names that fit, the best first. */
function find(typed: string) {
  const fits = names.flatMap((name) => {
    const score = fuzzyScore(typed, name)
    return score === undefined ? [] : [{ name, score }]
  })
  return fits.toSorted((a, b) => b.score - a.score).map(({ name }) => name)
}

test('a fuzzy search finds beginnings of words in any order, the best fit first', () => {
  assert.deepEqual(find('trash'), ['Trash', 'Move to Trash'])
  assert.deepEqual(find('coll'), ['Collections', 'Move to Collection'])
  assert.deepEqual(find('coll mo'), ['Move to Collection'])
})

test('a fuzzy search finds initials, left-out letters and words without their accents', () => {
  assert.deepEqual(find('mtc'), ['Move to Collection'])
  assert.deepEqual(find('srtnam'), ['Sort by name'])
  assert.deepEqual(find('uber'), ['Übersicht'])
})

test('a fuzzy search finds nothing for letters that are not there in this order', () => {
  assert.deepEqual(find('hsart'), [])
  assert.deepEqual(find('trash xyz'), [])
})
