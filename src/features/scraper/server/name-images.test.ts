import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundImage } from '#engines/web/find-images/found-image.ts'
import { nameFromAddress } from './name-from-address.ts'
import { nameImages } from './name-images.ts'

const found = (words: Partial<FoundImage>): FoundImage => ({
  url: 'https://example.com/x.jpg',
  alternatives: [],
  alt: '',
  fileName: 'x',
  source: 'img',
  places: [],
  ...words,
})

test('an image is named after its first meaningful text: alt, caption, title, heading or file name', async () => {
  const images = [
    found({ alt: 'Red running shoe' }),
    found({ alt: 'red running shoe' }),
    found({ caption: 'Harbour at dawn', alt: 'IMG_2041' }),
    found({ alt: 'Two boats', caption: 'The old harbour of Porto at dusk', title: 'A long title of four words' }),
    found({ caption: 'Grey heron', title: 'Birds of the northern lakes', heading: 'What we saw' }),
    found({ title: 'Oak table', heading: 'Furniture made by hand in Wales' }),
    found({ heading: 'Sunflowers', linkText: 'See all of our summer pictures', fileName: 'yellow-field-in-june' }),
    found({ fileName: 'winter-forest-path-1024x768.jpg', linkText: 'More walks in the snow' }),
    found({ fileName: 'DSC_0042', linkText: 'More walks in the snow' }),
  ]
  assert.deepEqual(await nameImages(images, { title: 'Shop' }), [
    'Red running shoe',
    'Red running shoe 2',
    'Harbour at dawn',
    'Two boats',
    'Grey heron',
    'Oak table',
    'Sunflowers',
    'Winter forest path',
    'More walks in the snow',
  ])
})

test('a model names images without meaningful words, and the rules name them when it fails', async () => {
  const images = [
    found({ alt: 'Red running shoe' }),
    found({ fileName: 'DSC_0042' }),
    found({ fileName: 'IMG_7', linkText: 'Blue boot' }),
    found({ fileName: 'IMG_8', linkText: 'Green sandal' }),
    found({ fileName: 'brown-clog' }),
    found({ heading: 'Slippers', fileName: 'IMG_9' }),
  ]
  const asked: (string | undefined)[] = []
  const suggestName = async ({ fileName, pageTitle }: { fileName?: string; pageTitle?: string }) => {
    asked.push(fileName)
    assert.equal(pageTitle, 'Shop')
    if (fileName === 'IMG_7') throw new Error('The model is away')
    return fileName === 'IMG_8' ? '  ' : ' Trail runner '
  }
  const names = await nameImages(images, { title: 'Shop', suggestName })
  assert.deepEqual(names, ['Red running shoe', 'Trail runner', 'Blue boot', 'Green sandal', 'Brown clog', 'Slippers'])
  assert.deepEqual(asked, ['DSC_0042', 'IMG_7', 'IMG_8'])
})

test('a model is asked for at most twelve images, four at a time, and not after the user has left', async () => {
  const images = Array.from({ length: 30 }, (_, index) => found({ fileName: `IMG_${index}` }))
  let [running, most, asked] = [0, 0, 0]
  const suggestName = async () => {
    asked++
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return 'Shoe'
  }
  const names = await nameImages(images, { title: '', suggestName })
  assert.deepEqual([asked, most, names.filter((name) => /^Shoe/.test(name)).length], [12, 4, 12])
  const leaving = new AbortController()
  const never = () => {
    leaving.abort()
    return new Promise<string>(() => {})
  }
  const byRules = await nameImages(images, { title: '', suggestName: never, signal: leaving.signal })
  assert.equal(new Set(byRules).size, 30)
})

test('a file is named after its address', () => {
  assert.equal(nameFromAddress('https://example.com/a/sea%20view.jpg?w=5'), 'sea view.jpg')
  assert.equal(nameFromAddress('https://example.com/image.php?id=3'), 'image')
  assert.equal(nameFromAddress('https://example.com/'), 'image')
  assert.equal(nameFromAddress('https://example.com/100%.png'), '100%.png')
  assert.equal(nameFromAddress('https://example.com/..%2F..%2Fetc%2Fpasswd'), 'passwd')
})
