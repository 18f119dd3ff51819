import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanLines, cleanText } from './clean-text.ts'

test('control, bidirectional and invisible characters go, spaces are single', () => {
  assert.equal(cleanText(' a\u0000b\u202E c\u200Bd \n\t e ', 100), 'ab cd e')
})

test('joiners stay only between letters or emoji', () => {
  for (const text of ['می‌خواهم', 'क्‍ष', '👨‍👩‍👧 at home', '❤️‍🔥']) assert.equal(cleanText(text, 100), text)
  assert.equal(cleanText('a \u200D\u200Cb\u200D', 100), 'a b')
})

test('a long text ends at a word, with an ellipsis, within its length', () => {
  const cut = cleanText('word '.repeat(100), 42)
  assert.equal(cut, `${'word '.repeat(8).trim()}…`)
  assert.equal(cleanText('x'.repeat(100), 10), `${'x'.repeat(9)}…`)
  assert.equal(cleanText('😀'.repeat(10), 6), '😀😀…')
})

test('lines stay lines', () => {
  assert.equal(cleanLines(['FOR\u0007 SALE', ' ', 'now'], 100), 'FOR SALE\nnow')
})
