import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goodAltText, tidyAltText } from './alt-text.ts'

test('an alt text does not begin by saying that it is an image, in any of the seven languages', () => {
  assert.equal(tidyAltText('Image of a dog on a beach'), 'A dog on a beach')
  assert.equal(tidyAltText('A photo showing two tents'), 'Two tents')
  assert.equal(tidyAltText('Ein Bild von zwei Hunden am Strand'), 'Zwei Hunden am Strand')
  assert.equal(tidyAltText('Foto: Zwei Hunde am Strand'), 'Zwei Hunde am Strand')
  assert.equal(tidyAltText("Photo d'un chien sur une plage"), 'Un chien sur une plage')
  assert.equal(tidyAltText('Image de deux chiens'), 'Deux chiens')
  assert.equal(tidyAltText('Una imagen de dos perros'), 'Dos perros')
  assert.equal(tidyAltText("L'immagine mostra due cani"), 'Due cani')
  assert.equal(tidyAltText('Foto de dois cachorros'), 'Dois cachorros')
  assert.equal(tidyAltText('Een foto van twee honden'), 'Twee honden')
})

test('words that only look like such an opening stay', () => {
  for (const text of [
    'Photographers on a beach',
    'Bildhauer bei der Arbeit',
    'A black-and-white photo of mountains',
    'Image',
  ])
    assert.equal(tidyAltText(text), text)
})

test('a long alt text ends with a sentence, else with a clause, else with a word', () => {
  const sentence = 'Two dogs run along a wide sandy beach while the sun sets behind the hills.'
  assert.equal(
    tidyAltText(`${sentence} In the distance a sailing boat can be seen, and some clouds as well.`),
    sentence,
  )
  const clause = 'Two dogs run along a wide sandy beach while the sun sets behind the hills'
  assert.equal(tidyAltText(`${clause}, chasing a red ball that was thrown by a person who stands in the water`), clause)
  const cut = tidyAltText('word '.repeat(100))
  assert.ok(cut.length <= goodAltText.longest && /word…$/.test(cut), cut)
})

test('control characters, line breaks and quotation marks around it leave an alt text', () => {
  assert.equal(tidyAltText('"Two\u202e dogs\non a\u0000 beach"'), 'Two dogs on a beach')
})
