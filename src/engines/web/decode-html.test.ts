import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHtml } from './decode-html.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')
const cyrillicPrivet = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])

test('the charset of the header is used', () => {
  assert.equal(decodeHtml(cyrillicPrivet, 'text/html; charset=windows-1251'), 'Привет')
  assert.equal(decodeHtml(latin('caf\u00e9'), 'text/html;Charset="ISO-8859-1"'), 'café')
  assert.equal(decodeHtml(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), "text/html; charset='Shift_JIS'"), '日本')
})

test('a byte order mark wins over the header', () => {
  assert.equal(decodeHtml(Buffer.from('\ufeffœuvre'), 'text/html; charset=iso-8859-1'), 'œuvre')
  assert.equal(decodeHtml(Buffer.from('\ufeffœuvre', 'utf16le'), 'text/html'), 'œuvre')
  assert.equal(decodeHtml(Buffer.from('\ufeffœuvre', 'utf16le').swap16(), ''), 'œuvre')
})

test("the page's own word is used when the header has none", () => {
  const metas = [
    '<meta charset="windows-1251">',
    '<META content="text/html; charset=windows-1251" http-equiv=Content-Type>',
  ]
  for (const meta of [...metas, '<?xml version="1.0" encoding="windows-1251"?>']) {
    const page = Buffer.concat([latin(`${meta.startsWith('<?') ? '' : '<!doctype html>'}${meta}`), cyrillicPrivet])
    assert.match(decodeHtml(page, 'text/html'), /Привет$/)
  }
  assert.equal(
    decodeHtml(Buffer.from('<!-- <meta charset=koi8-r> -->é'), 'text/html'),
    '<!-- <meta charset=koi8-r> -->é',
  )
  assert.equal(decodeHtml(Buffer.from('<meta charset=utf-16>é'), 'text/html'), '<meta charset=utf-16>é')
})

test('without any word, or with an unknown one, UTF-8 is tried first and then what old pages used', () => {
  assert.equal(decodeHtml(Buffer.from('grüß'), 'text/html; charset=klingon'), 'grüß')
  assert.equal(decodeHtml(latin('gr\u00fc\u00df \u0093x\u0094'), ''), 'grüß “x”')
})
