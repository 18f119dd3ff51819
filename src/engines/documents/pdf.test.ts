import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeJpeg } from '#tests/support/pictures.ts'
import { writePdf } from './pdf.ts'

test('a PDF with many pictures waits for whoever reads it, and leaves nothing listening', async () => {
  const jpeg = await makeJpeg()
  // What stands behind the end of a JPEG is not looked at; here it fills the stream with every picture.
  const thumbnail = { data: Buffer.concat([jpeg, Buffer.alloc(100_000)]), width: 4, height: 3 }
  const words = { dimensions: '', description: '', aiDescription: '', publicUrl: '', thumbnailUrl: '', tags: [] }
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
