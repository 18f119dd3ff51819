import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PictureFacts, problemsOf } from './problems.ts'

const good: PictureFacts = {
  fileName: 'red-boat.webp',
  alt: 'A red boat',
  isBackground: false,
  format: 'webp',
  bytes: 50_000,
  width: 1200,
  shownWidth: 600,
  hasDimensions: true,
  isLazy: false,
  order: 0,
  top: null,
}
const found = (facts: Partial<PictureFacts>) => problemsOf({ ...good, ...facts })

test('a good picture has no problems, and what is unknown is none', () => {
  assert.deepEqual(found({}), [])
  assert.deepEqual(found({ bytes: null, width: null, shownWidth: null, format: null }), [])
})

test('a weight is either heavy or very heavy', () => {
  assert.deepEqual(found({ bytes: 200 * 1024 }), [])
  assert.deepEqual(found({ bytes: 200 * 1024 + 1 }), ['heavy'])
  assert.deepEqual(found({ bytes: 500 * 1024 + 1 }), ['very-heavy'])
})

test('twice the shown width is right for dense screens, clearly more is too large', () => {
  assert.deepEqual(found({ width: 1300 }), [])
  assert.deepEqual(found({ width: 1400 }), ['too-large'])
})

test('an old format counts unless the picture is tiny', () => {
  for (const format of ['jpeg', 'png', 'gif', 'bmp']) assert.deepEqual(found({ format }), ['old-format'], format)
  assert.deepEqual(found({ format: 'png', bytes: 2000 }), [])
  assert.deepEqual(found({ format: 'avif' }), [])
})

test('file names as alternative texts are told from words that people write', () => {
  assert.deepEqual(found({ alt: null }), ['no-alt'])
  assert.deepEqual(found({ alt: '' }), [])
  for (const alt of ['red-boat', 'boat.JPG', 'IMG_1234', 'DSC 0042', 'Screenshot 2024-05-01'])
    assert.deepEqual(found({ alt }), ['file-name-alt'], alt)
  for (const alt of ['Boat', 'Red boat', 'Plan of 1902', 'Photo of a boat'])
    assert.deepEqual(found({ alt, fileName: 'boat.webp' }), [], alt)
})

test('names of cameras, spaces and hashes are bad, words with a hash are not', () => {
  for (const name of [
    'IMG_1234.jpg',
    'DSC0042.jpg',
    '7.png',
    'red boat.jpg',
    '0f3a9c1b2d4e5f60.jpg',
    'a1.jpg',
    'p-2.webp',
  ])
    assert.deepEqual(found({ fileName: name }), ['bad-name'], name)
  assert.deepEqual(found({ fileName: '3fa85f64-5717-4562-b3fc-2c963f66afa6.jpg' }), ['bad-name'])
  for (const name of [
    'red-boat.jpg',
    'harbour2024.jpg',
    'team-0f3a9c1b.jpg',
    'Гавань.jpg',
    'facade.png',
    'photo-of-a-boat.jpg',
  ])
    assert.deepEqual(found({ fileName: name }), [], name)
})

test('a picture below the fold should be lazy, and the rendered page knows better than the order', () => {
  assert.deepEqual(found({ order: 5 }), [])
  assert.deepEqual(found({ order: 6 }), ['not-lazy'])
  assert.deepEqual(found({ order: 6, isLazy: true }), [])
  assert.deepEqual(found({ order: 40, top: 300 }), [])
  assert.deepEqual(found({ order: 2, top: 1700 }), ['not-lazy'])
})

test('a background needs neither words nor dimensions', () => {
  assert.deepEqual(found({ isBackground: true, alt: null, hasDimensions: false, order: 30 }), [])
  assert.deepEqual(found({ hasDimensions: false }), ['no-dimensions'])
})
