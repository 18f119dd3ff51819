import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slugify, toSlugInput } from './slug.ts'

test('toSlugInput keeps only lower-case letters, digits and hyphens', () => {
  assert.equal(toSlugInput('My Beach_Photo-2!'), 'mybeachphoto-2')
  assert.equal(toSlugInput('Ünïcode/../x'), 'ncodex')
})

test('slugify makes a short readable slug without hyphens at its ends', () => {
  assert.equal(slugify('  Été à la Plage! '), 'ete-a-la-plage')
  assert.equal(slugify('Straße im Nebel'), 'strasse-im-nebel')
  assert.equal(slugify('海滩'), '')
  assert.equal(slugify(`${'word '.repeat(20)}`, 12), 'word-word-wo')
  assert.equal(slugify('abcd efgh', 5), 'abcd')
})
