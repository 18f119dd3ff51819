import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture } from '#tests/support/pictures.ts'
import { readImageSize } from './image-size.ts'

test('the size of every image format is read from its first bytes', async () => {
  const sharp = () => picture(321, 123)
  const kinds = {
    jpeg: await sharp().jpeg().toBuffer(),
    progressive: await sharp()
      .jpeg({ progressive: true })
      .withExif({ IFD0: { Artist: 'x'.repeat(5000) } })
      .toBuffer(),
    png: await sharp().png().toBuffer(),
    gif: await sharp().gif().toBuffer(),
    webp: await sharp().webp().toBuffer(),
    lossless: await sharp().webp({ lossless: true }).toBuffer(),
    extended: await sharp()
      .webp()
      .withExif({ IFD0: { Artist: 'me' } })
      .toBuffer(),
  }
  for (const [kind, bytes] of Object.entries(kinds)) {
    assert.deepEqual(readImageSize(bytes), { width: 321, height: 123 }, kind)
    assert.deepEqual(readImageSize(bytes.subarray(0, 8192)), { width: 321, height: 123 }, `${kind}, cut off`)
  }
})

test('bytes without a readable size give no size and no error', async () => {
  const jpeg = await picture(321, 123).jpeg().toBuffer()
  for (const length of [0, 1, 2, 3, 5, 20, 100]) assert.equal(readImageSize(jpeg.subarray(0, length)), undefined)
  for (const text of [
    '<!doctype html>',
    'GIF89a',
    'RIFFxxxxWEBPVP8X',
    '\x89PNG\r\n\x1a\n',
    'RIFFxxxxWEBPABCD'.padEnd(64),
  ])
    assert.equal(readImageSize(Buffer.from(text, 'latin1')), undefined, text)
})
