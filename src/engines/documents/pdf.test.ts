import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import PDFDocument from 'pdfkit'
import { makeJpeg } from '#tests/support/pictures.ts'
import { writePdf } from './pdf.ts'

const noWords = { title: null, altTexts: {}, creator: null, credit: null, licence: null, source: null }
const words = {
  dimensions: '',
  description: '',
  aiDescription: '',
  publicUrl: '',
  thumbnailUrl: '',
  tags: [],
  words: noWords,
}

test('a PDF with many pictures waits for its reader and removes its listeners', async () => {
  const jpeg = await makeJpeg()
  // Bytes after the end of a JPEG are ignored; here they fill the stream with every picture.
  const thumbnail = { data: Buffer.concat([jpeg, Buffer.alloc(100_000)]), width: 4, height: 3 }
  let drawn = 0
  async function* items() {
    for (; drawn < 30; drawn++) yield { name: `${drawn}.jpg`, size: '1 kB', thumbnail, ...words }
  }
  const document = writePdf({ title: 'Many', createdAt: '2026-01-01', count: 30 }, items())
  const listening: number[] = []
  const ahead: number[] = []
  for await (const _chunk of document) {
    listening.push(document.listenerCount('close'))
    ahead.push(drawn)
  }
  assert.ok(ahead[0]! < 30, 'not all pages are drawn before the first is read')
  assert.ok(Math.max(...listening) <= listening[0]! + 1, `received ${listening}`)
})

test('the next item follows a description that continues on the next page', async () => {
  const high = { data: await makeJpeg(), width: 100, height: 300 }
  async function* items() {
    yield { ...words, name: 'first.jpg', size: '1 kB', thumbnail: null }
    yield { ...words, name: 'long.jpg', size: '1 kB', thumbnail: high, description: 'a line\n'.repeat(65) }
    yield { ...words, name: 'next.jpg', size: '1 kB', thumbnail: high }
  }
  let text = ''
  const document = writePdf({ title: 'Long', createdAt: '2026-01-01', count: 3 }, items())
  for await (const chunk of document) text += Buffer.from(chunk as Buffer).toString('latin1')
  assert.equal(text.match(/\/Type \/Page\n/g)?.length, 2)
})

test('a PDF shows quotation marks, dashes and currency signs, and omits invisible characters', async () => {
  async function* items() {
    yield { ...words, name: 'a.jpg', size: '', thumbnail: null, description: 'It’s “5 €” — a\tred\r\n❤\ufe0f, Łódź' }
  }
  let text = ''
  const document = writePdf({ title: 'Signs', createdAt: '2026-01-01', count: 1 }, items())
  for await (const chunk of document) text += Buffer.from(chunk as Buffer).toString('latin1')
  const [, packed] = /FlateDecode\n>>\nstream\n([\s\S]*?)\nendstream/.exec(text)!
  const drawn = inflateSync(Buffer.from(packed!, 'latin1')).toString('latin1')
  const shown = Array.from(drawn.matchAll(/<([0-9a-f]+)>/g), ([, hex]) => Buffer.from(hex!, 'hex')).map((bytes) =>
    new TextDecoder('windows-1252').decode(bytes),
  )
  assert.match(shown.join(''), /It’s “5 €” — a red\?, \?ódz$/)
})

test('a long description without spaces is broken into lines in linear time', async (context) => {
  const measure = context.mock.method(PDFDocument.prototype as PDFKit.PDFDocument, 'widthOfString')
  const description = 'W'.repeat(10_000)
  async function* items() {
    yield { ...words, name: 'a.jpg', size: '', thumbnail: null, description }
  }
  for await (const _chunk of writePdf({ title: 'Endless', createdAt: '2026-01-01', count: 1 }, items()));
  const letters = measure.mock.calls.reduce((sum, call) => sum + call.arguments[0].length, 0)
  // Three times the text itself, not a hundred times and a second for each description as before the fix.
  assert.ok(letters > 0 && letters < 10 * description.length, `received ${letters}`)
})
