import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slugify, suggestSlug, toSlugInput } from './slug.ts'

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

test('suggestSlug adds six random characters to the name, within 50', () => {
  assert.match(suggestSlug('Été à la plage'), /^ete-a-la-plage-[a-z0-9]{6}$/)
  assert.match(suggestSlug('海'), /^media-[a-z0-9]{6}$/)
  assert.ok(suggestSlug('x'.repeat(90)).length <= 50)
  assert.notEqual(suggestSlug('sea'), suggestSlug('sea'))
})
