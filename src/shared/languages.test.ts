import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedLanguages, canonicalLanguage, findLanguage, languageName } from './languages.ts'

test('a known language tag gets its canonical form', () => {
  const tags = ['en', 'PT-br', 'zh-hant-tw', 'sr-Latn', 'iw']
  assert.deepEqual(tags.map(canonicalLanguage), ['en', 'pt-BR', 'zh-Hant-TW', 'sr-Latn', 'he'])
})

test('text that names no language gets no canonical form', () => {
  const texts = ['', 'xx', 'english', 'de-XX', 'de_DE', 'und', 'mul', 'en-u-ca-buddhist', 'x-foo', '*', 'en,de', ' en']
  assert.deepEqual(texts.filter(canonicalLanguage), [])
})

test('a language has an English name', () => {
  assert.deepEqual(['de', 'pt-BR', 'xx'].map(languageName), ['German', 'Brazilian Portuguese', 'xx'])
})

test('a wanted language falls back to its general form, then to a variant, then to the next wanted one', () => {
  assert.equal(findLanguage(['de-AT'], ['en', 'de', 'de-AT']), 'de-AT')
  assert.equal(findLanguage(['de-AT'], ['en', 'de']), 'de')
  assert.equal(findLanguage(['pt-BR'], ['en', 'pt-PT']), 'pt-PT')
  assert.equal(findLanguage(['de'], ['den', 'de-CH']), 'de-CH')
  assert.equal(findLanguage(['fr', 'EN-us'], ['de', 'en']), 'en')
  assert.equal(findLanguage(['fr'], ['de']), undefined)
  assert.equal(findLanguage(['fr', '*'], ['de', 'en']), 'de')
  assert.equal(findLanguage(['*'], []), undefined)
})

test('an Accept-Language header is read by its weights, and what is not a language is skipped', () => {
  assert.deepEqual(acceptedLanguages('en;q=0.5, de-AT, fr;q=0, *;q=0.1'), ['de-AT', 'en', '*'])
  assert.deepEqual(acceptedLanguages('de;q=high, <script>, ,es'), ['es'])
  assert.deepEqual(acceptedLanguages(undefined), [])
  assert.equal(acceptedLanguages('de,'.repeat(100_000)).length, 20)
})
