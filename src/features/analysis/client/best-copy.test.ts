import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bestCopy, isClearlyBest } from './best-copy.ts'

const copy = {
  id: 1,
  size: 100,
  width: 40,
  height: 30,
  createdAt: '2026-01-01T00:00:00.000Z',
  isFavorite: false,
  publicUrl: null,
  collections: [],
  userDescription: null,
  colours: ['#b5eb58', '#8da6a9'],
}

test('of several copies the one with the most pixels is kept, then the one with the most bytes', () => {
  assert.equal(bestCopy([copy, { ...copy, id: 2, width: 80 }, { ...copy, id: 3, size: 9000 }]).id, 2)
  assert.equal(bestCopy([copy, { ...copy, id: 2, size: 9000 }]).id, 2)
})

test('a copy is not called the best only because its file is larger', () => {
  const heavy = { ...copy, id: 2, size: 9000 }
  assert.equal(isClearlyBest(heavy, [copy, heavy]), false)
  const large = { ...copy, id: 3, width: 80 }
  assert.equal(isClearlyBest(large, [copy, heavy, large]), true)
  const loved = { ...copy, id: 4, isFavorite: true }
  assert.equal(isClearlyBest(loved, [copy, loved]), true)
})

test('of equal copies the one that the user has organized is kept, then the oldest', () => {
  const older = { ...copy, id: 2, createdAt: '2025-01-01T00:00:00.000Z' }
  assert.equal(bestCopy([copy, older]).id, 2)
  for (const care of [
    { isFavorite: true },
    { publicUrl: 'https://example.com/public/x' },
    { collections: [{ id: 1, name: 'Summer', isPublic: false }] },
    { userDescription: 'Ours' },
  ])
    assert.equal(bestCopy([{ ...copy, ...care }, older]).id, 1, JSON.stringify(care))
})

test('a black-and-white version is not kept instead of the picture in color, even if it is larger', () => {
  const blackAndWhite = { ...copy, id: 2, width: 80, colours: ['#cecece', '#8b8b8b'] }
  assert.equal(bestCopy([blackAndWhite, copy]).id, 1)
  assert.equal(bestCopy([{ ...copy, colours: ['#454545'] }, blackAndWhite]).id, 2, 'the only other copy is gray')
  assert.equal(bestCopy([{ ...copy, colours: ['#a0a5a2'] }, blackAndWhite]).id, 2, 'a tint does not count as color')
  assert.equal(
    bestCopy([blackAndWhite, { ...copy, id: 3, width: 160, colours: [] }]).id,
    3,
    'a copy with unknown colors counts as colorful',
  )
})

test('an item without dimensions is kept only if there is nothing better', () => {
  assert.equal(bestCopy([{ ...copy, id: 2, width: null, height: null, size: 9000 }, copy]).id, 1)
})
