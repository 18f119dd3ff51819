import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { safeFilename } from './safe-filename.ts'

test('path parts never become part of a name', () => {
  assert.equal(safeFilename('../../etc/passwd.jpg'), 'passwd.jpg')
  assert.equal(safeFilename('C:\\Users\\ann\\photo.png'), 'photo.png')
  assert.equal(safeFilename('/'), 'file')
  assert.equal(safeFilename('..'), 'file')
  assert.equal(safeFilename(''), 'file')
})

test('control and direction-changing characters vanish, spaces become plain', () => {
  assert.equal(safeFilename('a\u0000b\u0007c\u007f.jpg'), 'abc.jpg')
  assert.equal(safeFilename('photo\u202egpj.exe'), 'photogpj.exe')
  assert.equal(safeFilename('\u200f\u061c\u2066x\u2069\ufeff.jpg'), 'x.jpg')
  assert.equal(safeFilename('two\r\nlines\tand\u2028more.jpg'), 'two lines and more.jpg')
})

test('emoji, accents and the joiners inside words stay', () => {
  assert.equal(safeFilename('👨‍👩‍👧‍👦 family 🏖️.jpg'), '👨‍👩‍👧‍👦 family 🏖️.jpg')
  assert.equal(safeFilename('🏴󠁧󠁢󠁥󠁮󠁧󠁿.jpg'), '🏴󠁧󠁢󠁥󠁮󠁧󠁿.jpg')
  assert.equal(safeFilename('می\u200cخواهم.jpg'), 'می\u200cخواهم.jpg')
  assert.equal(safeFilename('e\u0301te\u0301.jpg'), 'été.jpg')
})

test('what Windows reserves is changed', () => {
  assert.equal(safeFilename('what? <a>|"b": *.jpg'), 'what_ _a___b__ _.jpg')
  assert.equal(safeFilename('CON.jpg'), 'CON_.jpg')
  assert.equal(safeFilename('nul.backup.jpg'), 'nul_.backup.jpg')
  assert.equal(safeFilename('console.jpg'), 'console.jpg')
  assert.equal(safeFilename(' .hidden. '), 'hidden')
})

test('a long name is cut between characters; extension and ending stay', () => {
  assert.equal(safeFilename(`${'x'.repeat(300)}.jpeg`), `${'x'.repeat(195)}.jpeg`)
  assert.equal(safeFilename(`${'x'.repeat(300)}.jpeg`, '-12'), `${'x'.repeat(192)}-12.jpeg`)
  const family = '👨‍👩‍👧‍👦'
  const cut = safeFilename(`${family.repeat(40)}.jpg`)
  assert.equal(cut, `${family.repeat(Math.floor(196 / family.length))}.jpg`)
})

// Unmended, each of these holds the server for minutes.
test('a name of any length is read as far as it counts', () => {
  const endless = 1_000_000
  assert.equal(safeFilename(`a${'.'.repeat(endless)}b.jpg`), 'b.jpg')
  assert.equal(safeFilename(`a${'\u0301\u0316'.repeat(endless)}.jpg`), 'file.jpg')
  assert.equal(safeFilename(`${'folder/'.repeat(endless)}c.jpg`), 'c.jpg')
})

test('what an invisible character held apart is joined, and a cut leaves no space at the end', () => {
  assert.equal(safeFilename('a\t\u0000\tb.jpg'), 'a b.jpg')
  assert.equal(safeFilename('a\u0000\u0301.jpg'), '\u00e1.jpg')
  assert.equal(safeFilename(`${'a'.repeat(199)} and more`), 'a'.repeat(199))
})

test('whatever comes in, a short, visible name without separators comes out, and is left alone the second time', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 400 })
  fc.assert(
    fc.property(anyText, (text) => {
      const name = safeFilename(text)
      assert.ok(name.length > 0 && name.length <= 200)
      assert.doesNotMatch(name, /[\p{Cc}\p{Bidi_Control}\\/<>:"|?*]|^[.\s]/u)
      assert.equal(safeFilename(name), name)
    }),
    { numRuns: 2000, seed: 20_261_115 },
  )
})
