import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import PDFDocument from 'pdfkit'
import { makeJpeg } from '#tests/support/pictures.ts'
import { writePdf } from './pdf.ts'

const words = { dimensions: '', description: '', aiDescription: '', publicUrl: '', thumbnailUrl: '', tags: [] }

test('a PDF with many pictures waits for whoever reads it, and leaves nothing listening', async () => {
  const jpeg = await makeJpeg()
  // What stands behind the end of a JPEG is not looked at; here it fills the stream with every picture.
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
  assert.ok(ahead[0]! < 30, 'not all is drawn before anybody reads')
  assert.ok(Math.max(...listening) <= listening[0]! + 1, `received ${listening}`)
})

test('after a description that goes on over the page, the next item follows it', async () => {
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

test('a PDF shows quotation marks, dashes and signs of money, and nothing for what cannot be seen', async () => {
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

test('the place to break a description without a single space is not looked for from its end, again for each line', async (context) => {
  const measure = context.mock.method(PDFDocument.prototype as PDFKit.PDFDocument, 'widthOfString')
  const description = 'W'.repeat(10_000)
  async function* items() {
    yield { ...words, name: 'a.jpg', size: '', thumbnail: null, description }
  }
  for await (const _chunk of writePdf({ title: 'Endless', createdAt: '2026-01-01', count: 1 }, items()));
  const letters = measure.mock.calls.reduce((sum, call) => sum + call.arguments[0].length, 0)
  // Three times the text itself; it was a hundred times, and a second for each description.
  assert.ok(letters > 0 && letters < 10 * description.length, `received ${letters}`)
})
