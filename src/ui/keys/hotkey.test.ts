import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesHotkey } from './hotkey.ts'

const press = (key: string, modifiers = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
})

test('a plain key matches only without modifiers', () => {
  assert.ok(matchesHotkey(press('i'), 'i'))
  assert.ok(!matchesHotkey(press('i', { ctrlKey: true }), 'i'))
  assert.ok(!matchesHotkey(press('I', { shiftKey: true }), 'i'))
  assert.ok(!matchesHotkey(press('j'), 'i'))
})

test('"mod" matches Ctrl and Cmd', () => {
  assert.ok(matchesHotkey(press('k', { ctrlKey: true }), 'mod+k'))
  assert.ok(matchesHotkey(press('k', { metaKey: true }), 'mod+k'))
  assert.ok(!matchesHotkey(press('k'), 'mod+k'))
})

test('symbols match with or without Shift', () => {
  assert.ok(matchesHotkey(press('/'), '/'))
  assert.ok(matchesHotkey(press('/', { shiftKey: true }), '/'))
  assert.ok(matchesHotkey(press('?', { shiftKey: true }), '?'))
  assert.ok(matchesHotkey(press('+', { shiftKey: true }), '+'))
})

test('named keys and Shift combinations match', () => {
  assert.ok(matchesHotkey(press('Escape'), 'Escape'))
  assert.ok(matchesHotkey(press('Delete', { shiftKey: true }), 'shift+Delete'))
  assert.ok(!matchesHotkey(press('Delete'), 'shift+Delete'))
})

test('on a Mac, Backspace (the key labeled "delete") counts as Delete', () => {
  assert.ok(matchesHotkey(press('Backspace'), 'Delete', true))
  assert.ok(matchesHotkey(press('Delete'), 'Delete', true))
  assert.ok(!matchesHotkey(press('Backspace', { altKey: true }), 'Delete', true))
  assert.ok(!matchesHotkey(press('Backspace'), 'Delete', false))
})
