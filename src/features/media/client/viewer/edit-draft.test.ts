import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Media } from '../../contract.ts'
import { addTags, draftOf, isChanged, patchOf, withSaved } from './edit-draft.ts'

const media = {
  filename: 'beach.jpg',
  userDescription: null,
  aiDescription: 'Two dogs on a beach.',
  aiTags: ['dog', 'beach'],
} as Media

test('an unchanged draft has nothing to save', () => {
  assert.deepEqual(patchOf(draftOf(media), media), {})
  assert.equal(isChanged({ ...draftOf(media), filename: ' beach.jpg ' }, media), false)
})

test('only fields that the user changed are sent', () => {
  const draft = { ...draftOf(media), userDescription: ' Summer 2024 ', tags: ['dog'] }
  assert.deepEqual(patchOf(draft, media), { userDescription: 'Summer 2024', aiTags: ['dog'] })
  assert.deepEqual(patchOf({ ...draftOf(media), aiDescription: '' }, media), { aiDescription: '' })
})

test('data that arrives while the form is open is neither removed nor counted as a change', () => {
  const initial = { ...media, aiDescription: null, aiTags: ['beach'] }
  const now = { ...initial, aiDescription: 'Two dogs on a beach.', aiTags: ['dog', 'beach', 'sea'] }
  const draft = draftOf(initial)
  assert.equal(isChanged(draft, initial), false)
  assert.deepEqual(patchOf({ ...draft, filename: 'sea.jpg' }, initial, now), { filename: 'sea.jpg' })
  assert.deepEqual(patchOf({ ...draft, tags: ['holiday'] }, initial, now), { aiTags: ['holiday', 'dog', 'sea'] })
  const without = { ...initial, aiTags: [] }
  assert.deepEqual(patchOf({ ...draft, tags: ['beach', 'sun'] }, initial, without), { aiTags: ['sun'] })
})

test('added tags are trimmed, never blank and never repeated', () => {
  assert.deepEqual(addTags(['dog'], ' Sea '), ['dog', 'sea'])
  assert.deepEqual(addTags(['dog'], '  '), ['dog'])
  assert.deepEqual(addTags(['dog'], 'DOG'), ['dog'])
  assert.deepEqual(addTags(['dog'], 'sea, sun,, sea'), ['dog', 'sea', 'sun'])
})

test('after a save only later input is left to save', () => {
  const sent = { ...draftOf(media), filename: ' dogs.jpg', tags: ['dog'] }
  const initial = withSaved(media, sent)
  assert.equal(isChanged(sent, initial), false)
  const since = { ...sent, tags: ['dog', 'sand'] }
  assert.deepEqual(patchOf(since, initial, { ...media, aiTags: ['dog', 'sea'] }), { aiTags: ['dog', 'sand', 'sea'] })
})
