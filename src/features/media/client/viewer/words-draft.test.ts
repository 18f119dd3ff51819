import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ViewedMedia } from '../../contract.ts'
import { changedWords, languagesOf, lengthWords } from './words-draft.ts'

const listed = { altTexts: { en: 'A pier' }, isDecorative: false } as unknown as ViewedMedia
const loaded: ViewedMedia = { ...listed, title: 'Dusk', creator: null, websiteLanguages: ['de', 'en'] }

test('only words that the user changed are sent', () => {
  assert.deepEqual(changedWords({ altTexts: {} }, loaded, loaded), {})
  assert.deepEqual(
    changedWords({ altTexts: { en: ' A pier ' }, title: ' Dusk ', isDecorative: false }, loaded, loaded),
    {},
  )
  const draft = { altTexts: { en: '', de: 'Ein Steg' }, title: '', creator: 'Ann', isDecorative: true }
  assert.deepEqual(changedWords(draft, loaded, loaded), {
    title: '',
    creator: 'Ann',
    altTexts: { en: '', de: 'Ein Steg' },
    isDecorative: true,
  })
})

test('words that load while the form is open are neither removed nor counted as a change', () => {
  assert.deepEqual(changedWords({ altTexts: {} }, listed, loaded), {})
  assert.deepEqual(changedWords({ altTexts: {}, title: 'Dusk' }, listed, loaded), {})
  assert.deepEqual(changedWords({ altTexts: {}, title: 'Dawn' }, listed, loaded), { title: 'Dawn' })
})

test('each language of the websites and of the texts has a tab, and English if there are none', () => {
  assert.deepEqual(languagesOf(loaded, { altTexts: { fr: '' } }), ['de', 'en', 'fr'])
  assert.deepEqual(languagesOf({ ...listed, altTexts: {} }, { altTexts: {} }), ['en'])
})

test('the counter says whether an alt text has a good length', () => {
  assert.equal(lengthWords(' '), '60 to 125 characters are good.')
  assert.equal(lengthWords('x'), '1 character, a bit short.')
  assert.equal(lengthWords('x'.repeat(60)), '60 characters, a good length.')
  assert.equal(lengthWords('x'.repeat(125)), '125 characters, a good length.')
  assert.equal(lengthWords('x'.repeat(1000)), '1,000 characters, a bit long.')
})
