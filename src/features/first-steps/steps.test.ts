import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferencesOf, skipOpen, stepsOf, uploadIsOpen } from './steps.ts'

const statesOf = (...of: Parameters<typeof stepsOf>) => stepsOf(...of).map(({ state }) => state)

test('a step is done once the library contains what it asks for', () => {
  assert.deepEqual(statesOf({}, {}), ['open', 'open', 'open'])
  assert.deepEqual(statesOf({}, { hasItems: true, hasCollection: false }), ['done', 'open', 'open'])
})

test('a step that was done or skipped stays so when the library is empty again', () => {
  const steps = skipOpen(stepsOf({}, { hasItems: true }), ['collection'])
  assert.deepEqual(statesOf(preferencesOf(steps), {}), ['done', 'skipped', 'open'])
})

test('the upload is open again after the sample pictures are removed from a library without other items', () => {
  const remembered = { ...preferencesOf(stepsOf({}, { hasItems: true })), ...uploadIsOpen }
  assert.deepEqual(statesOf(remembered, { hasItems: false }), ['open', 'open', 'open'])
  assert.deepEqual(statesOf(remembered, { hasItems: true }), ['done', 'open', 'open'])
})
