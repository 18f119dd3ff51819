import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bestMatch, matchCollections, newCollection } from './matching-collections.ts'

const collections = ['Catalog', 'Wedding of Inés', 'Cat', 'Old cats', 'Concatenated'].map((name, id) => ({ id, name }))
const namesFor = (query: string) => matchCollections(collections, query).map(({ name }) => name)

test('a search for a collection lists equal names first, then word beginnings, then other matches', () => {
  assert.deepEqual(namesFor('cat'), ['Cat', 'Catalog', 'Old cats', 'Concatenated'])
})

test('a search for a collection ignores case, accents and the order of words', () => {
  assert.deepEqual(namesFor('INES wed'), ['Wedding of Inés'])
  assert.deepEqual(namesFor('wed cat'), [])
})

test('without a query all collections are listed in their order', () => {
  assert.deepEqual(matchCollections(collections, '  '), collections)
})

test('typing chooses the best match, or a new collection if there is none', () => {
  assert.equal(bestMatch(matchCollections(collections, 'cat')), '2')
  assert.equal(bestMatch(matchCollections(collections, 'zebra')), newCollection)
})
