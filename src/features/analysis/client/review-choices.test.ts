import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Proposal } from '../contract.ts'
import { isUnchanged, toggleLanguage, toggleTag, withChoice } from './review-choices.ts'

const proposal = (id: number): Proposal => ({
  // The tested functions only read the item's id.
  media: { id } as Proposal['media'],
  isAccepted: true,
  provider: 'openai',
  model: 'good',
  note: null,
  description: { before: null, after: 'A cat.', isAccepted: true },
  tags: [
    { tag: 'animal', change: 'kept', isAccepted: true },
    { tag: 'cat', change: 'added', isAccepted: true },
    { tag: 'dog', change: 'dropped', isAccepted: true },
  ],
  altTexts: [],
})

test('clicking a suggested tag rejects it, and clicking it again accepts it', () => {
  const fresh = proposal(1)
  assert.deepEqual(toggleTag(fresh, 'cat'), ['cat'])
  const review = withChoice({ items: [fresh], accepted: 1 }, 1, { refusedTags: ['cat'] })
  assert.deepEqual(toggleTag(review.items[0]!, 'dog'), ['cat', 'dog'])
  assert.deepEqual(toggleTag(review.items[0]!, 'cat'), [])
})

test('an item is unchanged if neither its description nor its tags would change', () => {
  const [fresh, kept] = [proposal(1), { tag: 'animal', change: 'kept', isAccepted: true } as const]
  assert.equal(isUnchanged(fresh), false)
  assert.equal(isUnchanged({ ...fresh, tags: [kept] }), false)
  assert.equal(isUnchanged({ ...fresh, description: null }), false)
  assert.equal(isUnchanged({ ...fresh, description: null, tags: [kept] }), true)
})

test('a choice changes its item and the number of accepted items', () => {
  const review = { items: [proposal(1), proposal(2)], accepted: 30 }
  const rejected = withChoice(review, 2, { isAccepted: false })
  assert.deepEqual([rejected.accepted, rejected.items[1]!.isAccepted, rejected.items[0]!.isAccepted], [29, false, true])
  assert.equal(withChoice(rejected, 2, { isAccepted: true }).accepted, 30)
  const plain = withChoice(review, 1, { isDescriptionAccepted: false })
  assert.deepEqual([plain.accepted, plain.items[0]!.description!.isAccepted], [30, false])
  assert.deepEqual(plain.items[0]!.tags, review.items[0]!.tags)
  const [both] = withChoice(plain, 1, { refusedTags: ['cat'] }).items
  const [later] = withChoice({ items: [both!], accepted: 1 }, 1, { isAccepted: false }).items
  for (const { description, tags } of [both!, later!])
    assert.deepEqual([description!.isAccepted, ...tags.map(({ isAccepted }) => isAccepted)], [false, true, false, true])
})

test('clicking the alt text of a language rejects it, and clicking it again accepts it', () => {
  const [en, de] = ['en', 'de'].map((language) => ({ language, before: null, after: 'A cat', isAccepted: true }))
  const fresh = { ...proposal(1), description: null, tags: [], altTexts: [en!, de!] }
  assert.equal(isUnchanged(fresh), false)
  const refusedLanguages = toggleLanguage(fresh, 'de')
  const chosen = withChoice({ items: [fresh], accepted: 1 }, 1, { refusedLanguages }).items[0]!
  assert.deepEqual([refusedLanguages, toggleLanguage(chosen, 'en')], [['de'], ['en', 'de']])
  assert.deepEqual(toggleLanguage(chosen, 'de'), [])
})
