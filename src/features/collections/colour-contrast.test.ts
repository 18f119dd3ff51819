import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrastOf, inkOn, isDark } from './colour-contrast.ts'

test('contrast follows WCAG, in short and long notation', () => {
  assert.equal(contrastOf('#000000', '#ffffff'), 21)
  assert.equal(contrastOf('#fff', '#ffffffff'), 1)
  assert.equal(contrastOf('#777777', '#ffffff').toFixed(2), '4.48')
  assert.equal(contrastOf('#ffffff', '#3b82f6').toFixed(2), '3.68')
})

test('text on a color is black or white, whichever is more readable', () => {
  assert.equal(inkOn('#ffee00'), '#000000')
  assert.equal(inkOn('#101820'), '#ffffff')
  assert.equal(isDark('#101820'), true)
})
