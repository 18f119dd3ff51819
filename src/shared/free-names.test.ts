import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreeNames } from './free-names.ts'

test('every file of an archive has a name of its own, in capitals or not', () => {
  const given = ['beach.jpg', 'Beach.JPG', 'beach (3).jpg', 'beach.jpg', 'beach.png', 'beach', 'beach']
  assert.deepEqual(given.map(createFreeNames()), [
    'beach.jpg',
    'Beach (2).JPG',
    'beach (3).jpg',
    'beach (4).jpg',
    'beach.png',
    'beach',
    'beach (2)',
  ])
})

test('of fifty thousand files of one name each is counted once', () => {
  const freeName = createFreeNames((name, count) => `${name} ${count}`)
  const names = Array.from({ length: 50_000 }, () => freeName('Image'))
  assert.deepEqual([names[0], names[1], names.at(-1)], ['Image', 'Image 2', 'Image 50000'])
})
