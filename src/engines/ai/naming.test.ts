import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { suggestNameByRules } from './naming.ts'
import type { NameContext } from './provider.ts'

const nameOf = (context: NameContext) => suggestNameByRules(context).name

test('the words that a person wrote for the picture come first', () => {
  const context = {
    alt: 'Harbour of Porto at dusk',
    heading: 'Our summer offers',
    fileName: 'IMG_2041.jpg',
    pageTitle: 'Travel | Example',
  }
  assert.deepEqual(suggestNameByRules(context).source, 'alt')
  assert.equal(nameOf(context), 'Harbour of Porto at dusk')
})

test('an alt text that says nothing gives way', () => {
  assert.equal(nameOf({ alt: 'image', heading: 'Hand-made oak table' }), 'Hand-made oak table')
  assert.equal(nameOf({ alt: 'IMG_2041.jpg', caption: 'Two dogs on the beach' }), 'Two dogs on the beach')
})

test('a person’s words are believed in every script', () => {
  assert.equal(nameOf({ alt: 'काला हिन्दी मंदिर', heading: 'Our summer offers for all' }), 'काला हिन्दी मंदिर')
})

test('a file name is used for what it says, without sizes, numbers and camera words', () => {
  assert.equal(nameOf({ fileName: 'IMG_2041-redLeatherShoe-1024x768-final.jpg' }), 'Red Leather Shoe')
  assert.equal(nameOf({ fileName: '3f2504e0-4f89-11d3-9a0c-0305e82c3301.png', tags: ['cat', 'garden'] }), 'Cat garden')
  assert.equal(nameOf({ fileName: 'DSC00042.JPG' }), 'Image')
})

test('tags and the description help where nothing else names the picture', () => {
  assert.equal(nameOf({ tags: ['running shoe', 'shop'] }), 'Running shoe shop')
  assert.equal(nameOf({ description: 'Photo: two dogs, on a beach. Mainly blue.' }), 'Two dogs on a beach')
  assert.equal(nameOf({ description: 'Photo; subject not recognised. Mainly grey.' }), 'Image')
  assert.equal(nameOf({ description: 'Ein Bild, das die integrierte KI nicht erkennt.' }), 'Image')
  assert.equal(nameOf({ description: 'A picture that the built-in AI does not recognise.' }), 'Image')
  assert.equal(nameOf({ description: 'Picture, mainly grey and green. Text in the picture: “IV”.' }), 'Image')
  assert.equal(nameOf({ description: 'Black-and-white picture.' }), 'Image')
})

test('the company comes in front once, a short context at the end, an instruction nowhere', () => {
  assert.equal(nameOf({ company: 'Acme', tags: ['shoe'], context: 'spring catalog' }), 'Acme shoe spring catalog')
  assert.equal(nameOf({ company: 'Acme', alt: 'Acme running shoe, red' }), 'Acme running shoe red')
  assert.equal(
    nameOf({ company: 'Acme', tags: ['shoe'], context: 'use short names for our new blog please' }),
    'Acme shoe',
  )
  assert.equal(nameOf({ company: 'Acme & Söhne' }), 'Acme & Söhne')
})

test('names are short and readable for any input', () => {
  const text = fc.option(fc.string({ unit: 'binary', maxLength: 3000 }), { nil: undefined })
  fc.assert(
    fc.property(fc.record({ alt: text, company: text, ocr: text, fileName: text, context: text }), (context) => {
      const name = nameOf(context)
      assert.ok(name.length > 0 && name.length <= 80)
      assert.doesNotMatch(name, /[\p{Cc}<>:"/\\|?*]/u)
    }),
    { seed: 20_261_115 },
  )
})
