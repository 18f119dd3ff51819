import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreeNames } from './free-names.ts'

test('every file of an archive has a name of its own, in capitals or not', () => {
  const freeName = createFreeNames()
  const given = [
    ['beach', '.jpg'],
    ['Beach', '.JPG'],
    ['beach (3)', '.jpg'],
    ['beach', '.jpg'],
    ['beach', '.png'],
  ] as const
  assert.deepEqual(
    given.map(([stem, extension]) => freeName(stem, extension)),
    ['beach.jpg', 'Beach (2).JPG', 'beach (3).jpg', 'beach (4).jpg', 'beach.png'],
  )
})
