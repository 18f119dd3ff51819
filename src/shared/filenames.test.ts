import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keepExtension, safeFilename, splitExtension, uniqueNames } from './filenames.ts'

test('splitExtension takes what follows the last dot if it looks like an extension', () => {
  assert.deepEqual(splitExtension('photo.final.JPG'), { stem: 'photo.final', extension: '.JPG' })
  assert.deepEqual(splitExtension('.hidden'), { stem: '.hidden', extension: '' })
  assert.deepEqual(splitExtension('no extension'), { stem: 'no extension', extension: '' })
  assert.deepEqual(splitExtension('Mr. Smith'), { stem: 'Mr. Smith', extension: '' })
  assert.deepEqual(splitExtension('ends with a dot.'), { stem: 'ends with a dot.', extension: '' })
})

test('keepExtension adds the old extension unless the new name already ends with it', () => {
  assert.equal(keepExtension('beach', 'IMG_1.JPG'), 'beach.JPG')
  assert.equal(keepExtension('beach.jpg', 'IMG_1.JPG'), 'beach.jpg')
  assert.equal(keepExtension('beach', 'noextension'), 'beach')
})

test('safeFilename removes path components', () => {
  assert.equal(safeFilename('../../etc/passwd.jpg'), 'passwd.jpg')
  assert.equal(safeFilename('C:\\Users\\ann\\photo.png'), 'photo.png')
  assert.equal(safeFilename('/'), 'file')
  assert.equal(safeFilename('..'), 'file')
  assert.equal(safeFilename(''), 'file')
})

test('safeFilename removes control and bidi characters and normalizes white space', () => {
  assert.equal(safeFilename('a\u0000b\u0007c\u007f.jpg'), 'abc.jpg')
  assert.equal(safeFilename('photo\u202egpj.exe'), 'photogpj.exe')
  assert.equal(safeFilename('\u200f\u061c\u2066x\u2069\ufeff.jpg'), 'x.jpg')
  assert.equal(safeFilename('two\r\nlines\tand\u2028more.jpg'), 'two lines and more.jpg')
})

test('safeFilename keeps emoji, accents and joiners', () => {
  assert.equal(safeFilename('👨‍👩‍👧‍👦 family 🏖️.jpg'), '👨‍👩‍👧‍👦 family 🏖️.jpg')
  assert.equal(safeFilename('🏴󠁧󠁢󠁥󠁮󠁧󠁿.jpg'), '🏴󠁧󠁢󠁥󠁮󠁧󠁿.jpg')
  assert.equal(safeFilename('می\u200cخواهم.jpg'), 'می\u200cخواهم.jpg')
  assert.equal(safeFilename('e\u0301te\u0301.jpg'), 'été.jpg')
})

test('safeFilename replaces names and characters that Windows reserves', () => {
  assert.equal(safeFilename('what? <a>|"b": *.jpg'), 'what_ _a___b__ _.jpg')
  assert.equal(safeFilename('CON.jpg'), 'CON_.jpg')
  assert.equal(safeFilename('nul.backup.jpg'), 'nul_.backup.jpg')
  assert.equal(safeFilename('console.jpg'), 'console.jpg')
  assert.equal(safeFilename(' .hidden. '), 'hidden')
})

test('safeFilename truncates a long name between characters and keeps extension and ending', () => {
  assert.equal(safeFilename(`${'x'.repeat(300)}.jpeg`), `${'x'.repeat(195)}.jpeg`)
  assert.equal(safeFilename(`${'x'.repeat(300)}.jpeg`, '-12'), `${'x'.repeat(192)}-12.jpeg`)
  const family = '👨‍👩‍👧‍👦'
  const cut = safeFilename(`${family.repeat(40)}.jpg`)
  assert.equal(cut, `${family.repeat(Math.floor(236 / Buffer.byteLength(family)))}.jpg`)
})

test('safeFilename truncates a name of multi-byte characters to what file systems take', () => {
  assert.equal(safeFilename(`${'ü'.repeat(200)}.jpg`), `${'ü'.repeat(118)}.jpg`)
  assert.equal(safeFilename(`${'山'.repeat(200)}.jpeg`, '-12'), `${'山'.repeat(77)}-12.jpeg`)
  assert.equal(safeFilename(`${'é'.repeat(120)}`), 'é'.repeat(120))
})

// Without the limit, each of these blocks the server for minutes.
test('safeFilename handles a name of a million characters at once', () => {
  const endless = 1_000_000
  assert.equal(safeFilename(`a${'.'.repeat(endless)}b.jpg`), 'b.jpg')
  assert.equal(safeFilename(`a${'\u0301\u0316'.repeat(endless)}.jpg`), 'file.jpg')
  assert.equal(safeFilename(`${'folder/'.repeat(endless)}c.jpg`), 'c.jpg')
})

test('safeFilename joins what an invisible character separated and leaves no trailing space after truncation', () => {
  assert.equal(safeFilename('a\t\u0000\tb.jpg'), 'a b.jpg')
  assert.equal(safeFilename('a\u0000\u0301.jpg'), '\u00e1.jpg')
  assert.equal(safeFilename(`${'a'.repeat(199)} and more`), 'a'.repeat(199))
})

test('safeFilename turns any input into a short visible name without separators, and is idempotent', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 400 })
  fc.assert(
    fc.property(anyText, (text) => {
      const name = safeFilename(text)
      assert.ok(name.length > 0 && name.length <= 200 && Buffer.byteLength(name) <= 240)
      assert.doesNotMatch(name, /[\p{Cc}\p{Bidi_Control}\\/<>:"|?*]|^[.\s]/u)
      assert.equal(safeFilename(name), name)
    }),
    { numRuns: 2000, seed: 20_261_115 },
  )
})

test('uniqueNames numbers equal names without regard to case', () => {
  const given = ['beach.jpg', 'Beach.JPG', 'beach (3).jpg', 'beach.jpg', 'beach.png', 'beach', 'beach']
  assert.deepEqual(given.map(uniqueNames()), [
    'beach.jpg',
    'Beach (2).JPG',
    'beach (3).jpg',
    'beach (4).jpg',
    'beach.png',
    'beach',
    'beach (2)',
  ])
})

test('uniqueNames numbers 50,000 equal names in linear time', () => {
  const makeUnique = uniqueNames((name, count) => `${name} ${count}`)
  const names = Array.from({ length: 50_000 }, () => makeUnique('Image'))
  assert.deepEqual([names[0], names[1], names.at(-1)], ['Image', 'Image 2', 'Image 50000'])
})
