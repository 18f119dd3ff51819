import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialsOf } from './initials.ts'

test('initials come from the first and the last word', () => {
  assert.equal(initialsOf('Julia Margaret Cameron'), 'JC')
  assert.equal(initialsOf('gustave_le-gray'), 'GG')
})

test('a single word gives its first two letters', () => {
  assert.equal(initialsOf('nadar'), 'NA')
  assert.equal(initialsOf('é'), 'É')
})

test('a name without letters gives a question mark', () => {
  assert.equal(initialsOf('  '), '?')
})

test('an emoji is not cut in half', () => {
  assert.equal(initialsOf('🥚 print'), '🥚P')
})
