import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalLanguage, languageName } from './languages.ts'

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
