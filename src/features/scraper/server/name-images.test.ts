import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import { nameFromAddress } from './name-from-address.ts'
import { makeUnique, nameImages } from './name-images.ts'

const found = (words: Partial<FoundImage>): FoundImage => ({
  url: 'https://example.com/x.jpg',
  alternatives: [],
  alt: '',
  fileName: 'x',
  source: 'img',
  ...words,
})

test('a picture is named after the words that people wrote for it', async () => {
  const images = [
    found({ alt: 'Red running shoe' }),
    found({ alt: 'red running shoe' }),
    found({ caption: 'Harbour at dawn', alt: 'IMG_2041' }),
    found({ fileName: 'winter-forest-path-1024x768.jpg' }),
  ]
  const names = await nameImages(images, { title: 'Shop' })
  assert.deepEqual(names.slice(0, 3), ['Red running shoe', 'Red running shoe 2', 'Harbour at dawn'])
  assert.match(names[3]!, /winter forest path/i)
})

test('a model may name them better; where it fails the rules have named them', async () => {
  const images = [found({ alt: 'Red running shoe' }), found({ alt: 'Blue boot' }), found({ alt: 'Green sandal' })]
  const suggestName = async ({ alt }: { alt?: string }) => {
    if (alt === 'Blue boot') throw new Error('The model is away')
    return alt === 'Green sandal' ? '  ' : 'Trail runner'
  }
  assert.deepEqual(await nameImages(images, { title: 'Shop', suggestName }), [
    'Trail runner',
    'Blue boot',
    'Green sandal',
  ])
})

test('names stay unique, also beside names that look like numbered ones', () => {
  assert.deepEqual(makeUnique(['A', 'a', 'A 2', 'A']), ['A', 'a 2', 'A 2 2', 'A 3'])
})

test('an address names its file', () => {
  assert.equal(nameFromAddress('https://example.com/a/sea%20view.jpg?w=5'), 'sea view.jpg')
  assert.equal(nameFromAddress('https://example.com/image.php?id=3'), 'image')
  assert.equal(nameFromAddress('https://example.com/'), 'image')
  assert.equal(nameFromAddress('https://example.com/100%.png'), '100%.png')
  assert.equal(nameFromAddress('https://example.com/..%2F..%2Fetc%2Fpasswd'), 'passwd')
})
