import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { safeTypedName, splitExtension } from './filenames.ts'
import { transliterate } from './transliterate.ts'
import { maxWebNameLength, nameFrom, parsePattern, patternFacts, uniqueWebNames } from './web-names.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 120, size: 'max' })

test('European, Cyrillic and Greek letters are written in Latin letters', () => {
  assert.equal(transliterate('Größe über Äpfel'), 'groesse ueber aepfel')
  assert.equal(transliterate('Café à l’Œuvre'), 'cafe a loeuvre')
  assert.equal(transliterate('Ångström smørrebrød Łódź'), 'aangstroem smoerrebroed lodz')
  assert.equal(transliterate('Красная площадь, Юлий'), 'krasnaya ploshchad yuliy')
  assert.equal(transliterate('Київ і Їжак'), 'kiyiv i yizhak')
  assert.equal(transliterate('Ακρόπολη του Ουρανού'), 'akropoli tou ouranou')
  assert.equal(transliterate('１２３ ﬁne'), '123 fine')
  assert.equal(transliterate('赤い靴 🎉'), '')
})

test('a letter and the same letter with a separate accent are transliterated alike', () => {
  assert.equal(transliterate('Ä'.normalize('NFD')), 'ae')
  fc.assert(
    fc.property(text, (any) => assert.equal(transliterate(any.normalize('NFD')), transliterate(any.normalize('NFC')))),
  )
})

test('a transliterated text has only lower-case letters, digits and single spaces, and stays as it is', () => {
  fc.assert(
    fc.property(text, (any) => {
      const plain = transliterate(any)
      assert.match(plain, /^([a-z0-9]+( [a-z0-9]+)*)?$/)
      assert.equal(transliterate(plain), plain)
    }),
  )
})

test('a pattern combines website, subject, collection, date, number and own words', () => {
  const facts = {
    website: 'Müller & Söhne',
    subject: 'Rote Schuhe',
    collection: 'Frühling',
    date: '2026-05-03',
    n: 7,
    count: 120,
  }
  assert.equal(nameFrom('{website}-{subject}', facts, 'IMG_1.JPG'), 'mueller-soehne-rote-schuhe.jpg')
  assert.equal(nameFrom('{collection} {date} {n}', facts, 'a.png'), 'fruehling-2026-05-03-007.png')
  assert.equal(nameFrom('Sale {subject} in {collection}', facts), 'sale-rote-schuhe-in-fruehling')
  assert.equal(nameFrom('{subject}v{n}', { subject: 'shoe', n: 2 }), 'shoev2')
})

test('facts that are not known are left out with their hyphens', () => {
  assert.equal(nameFrom('{website}-{collection}-{subject}', { subject: 'red shoe' }, 'x.jpg'), 'red-shoe.jpg')
})

test('a subject in a script without transliteration becomes "image"', () => {
  assert.equal(nameFrom('{website}-{subject}', { website: 'Acme', subject: '赤い靴' }, 'x.jpg'), 'acme-image.jpg')
})

test('a subject that already names the website does not name it twice', () => {
  assert.equal(nameFrom('{website}-{subject}', { website: 'Acme', subject: 'acme red shoe' }), 'acme-red-shoe')
})

test('a long subject loses whole words, and the number stays', () => {
  const subject = 'two brown dogs playing with a yellow ball on a wide sandy beach in summer'
  const name = nameFrom('{website}-{subject}-{n}', { website: 'Acme', subject, n: 3, count: 10 }, 'x.jpg')
  assert.equal(name, 'acme-two-brown-dogs-playing-with-a-yellow-ball-on-a-03.jpg')
})

test('a pattern with a wrong brace or an unknown name is refused with a sentence', () => {
  assert.match(parsePattern('{wesbite}-x').problem!, /cannot contain \{wesbite\}\. Use \{website\}/)
  assert.match(parsePattern('{subject').problem!, /brace without its pair/)
  assert.match(parsePattern(' - ').problem!, /has no words/)
  assert.match(parsePattern('x'.repeat(201)).problem!, /up to 200 characters/)
  assert.equal(parsePattern('{ Subject }').problem, undefined)
})

test('names that Windows reserves are extended', () => {
  assert.equal(nameFrom('con', {}, 'x.jpg'), 'con-image.jpg')
})

const patterns = fc
  .array(
    fc.oneof(
      fc.constantFrom(...patternFacts.map((fact) => `{${fact}}`)),
      fc.constantFrom('-', ' ', 'Größe', '赤', 'a b'),
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''))
const facts = fc.record({ website: text, subject: text, collection: text, n: fc.integer({ min: 1, max: 10_000 }) })
const files = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9]{1,9}$/), fc.constantFrom('.jpg', '.PNG', '.webp', '.mp4', ''))
  .map((parts) => parts.join(''))

test('a web name is readable by every system, short, and keeps its type, for any facts', () => {
  fc.assert(
    fc.property(patterns, facts, files, (pattern, known, filename) => {
      const name = nameFrom(pattern, { ...known, count: 10_000 }, filename)
      assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)?$/)
      assert.ok(name.length <= maxWebNameLength, name)
      assert.equal(splitExtension(name).extension, splitExtension(filename).extension.toLowerCase())
      assert.equal(safeTypedName(name), name, 'the library takes the name as it is')
    }),
  )
})

test('the names of a batch are unique and short, however equal they were', () => {
  const wanted = fc.array(
    fc.constantFrom('a.jpg', 'a-2.jpg', 'a-3.jpg', `${'very-'.repeat(11)}x.jpg`, `${'y'.repeat(56)}.jpg`),
    {
      maxLength: 40,
    },
  )
  fc.assert(
    fc.property(wanted, (names) => {
      const freeName = uniqueWebNames()
      const given = names.map(freeName)
      assert.equal(new Set(given).size, names.length)
      for (const name of given) assert.match(name, /^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*\.jpg$/)
    }),
  )
})
