import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepExtension, splitExtension } from './filename.ts'

test('the extension is what follows the last dot, when it looks like one', () => {
  assert.deepEqual(splitExtension('photo.final.JPG'), { stem: 'photo.final', extension: '.JPG' })
  assert.deepEqual(splitExtension('.hidden'), { stem: '.hidden', extension: '' })
  assert.deepEqual(splitExtension('no extension'), { stem: 'no extension', extension: '' })
  assert.deepEqual(splitExtension('Mr. Smith'), { stem: 'Mr. Smith', extension: '' })
  assert.deepEqual(splitExtension('ends with a dot.'), { stem: 'ends with a dot.', extension: '' })
})

test('a new name keeps the old extension once', () => {
  assert.equal(keepExtension('beach', 'IMG_1.JPG'), 'beach.JPG')
  assert.equal(keepExtension('beach.jpg', 'IMG_1.JPG'), 'beach.jpg')
  assert.equal(keepExtension('beach', 'noextension'), 'beach')
})
