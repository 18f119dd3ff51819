import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { createByteReader } from './byte-reader.ts'
import { insertWords } from './insert-xmp.ts'
import type { PictureWords } from './picture-words.ts'
import { readWords } from './read-words.ts'

const words: PictureWords = {
  title: 'Pier <1> & "2"',
  description: 'Two\nlines\u0001 \ud83d\udc4d',
  keywords: ['pier', 'öresund'],
  creator: 'Ann Example',
  credit: 'Example Press',
  rights: '© Ann',
  source: 'https://example.com/?a=1&b=2',
  altTexts: { en: 'A pier', de: 'Ein Steg' },
}
const readBack = {
  ...words,
  description: 'Two\nlines \ud83d\udc4d',
  altTexts: { 'x-default': 'A pier', ...words.altTexts },
}

async function insert(file: Buffer, mimeType: string, given = words) {
  const source = {
    async read(buffer: Buffer, offset: number, length: number, position: number) {
      return { bytesRead: file.copy(buffer, offset, position, position + length) }
    },
  }
  const pieces = await insertWords(createByteReader(source, file.length), mimeType, given)
  return Buffer.concat(
    pieces.map((piece) => (piece instanceof Uint8Array ? piece : file.subarray(piece.start, piece.end))),
  )
}

const pixelsOf = (file: Buffer) => sharp(file, { animated: true }).raw().toBuffer()
const wordsIn = async (file: Buffer) => readWords(await sharp(file).metadata())
const pictureOf = (name: string) => readFile(new URL(`./pictures/${name}`, import.meta.url))

async function noise(channels: 3 | 4) {
  const raw = { width: 61, height: 47, channels }
  const data = Buffer.from(Array.from({ length: 61 * 47 * channels }, (_, index) => (index * index * 31) % 256))
  return sharp(data, { raw })
}

async function files(): Promise<[name: string, mimeType: string, file: Buffer][]> {
  const [opaque, clear] = [await noise(3), await noise(4)]
  const frames = { raw: { width: 61, height: 94, channels: 4 as const, pageHeight: 47 } }
  const two = Buffer.concat([await clear.clone().raw().toBuffer(), await clear.clone().negate().raw().toBuffer()])
  const animated = await sharp(two, frames).webp({ lossless: true }).toBuffer()
  assert.equal((await sharp(animated).metadata()).pages, 2)
  return [
    ['JPEG', 'image/jpeg', await opaque.clone().jpeg().toBuffer()],
    [
      'progressive JPEG with EXIF and a profile',
      'image/jpeg',
      await opaque.clone().withMetadata({ orientation: 6 }).jpeg({ progressive: true }).toBuffer(),
    ],
    ['JPEG of ExifTool', 'image/jpeg', await pictureOf('exiftool-xmp.jpg')],
    ['PNG', 'image/png', await clear.clone().png().toBuffer()],
    ['PNG with a palette', 'image/png', await opaque.clone().png({ palette: true, colours: 16 }).toBuffer()],
    ['PNG of ExifTool', 'image/png', await pictureOf('exiftool-xmp.png')],
    ['PNG with compressed XMP', 'image/png', await pictureOf('exiftool-compressed-xmp.png')],
    ['lossy WebP', 'image/webp', await opaque.clone().webp().toBuffer()],
    ['lossy WebP with transparency', 'image/webp', await clear.clone().webp().toBuffer()],
    ['lossless WebP with transparency', 'image/webp', await clear.clone().webp({ lossless: true }).toBuffer()],
    ['lossless WebP', 'image/webp', await opaque.clone().webp({ lossless: true }).toBuffer()],
    ['animated WebP', 'image/webp', animated],
    ['WebP of webpmux', 'image/webp', await pictureOf('webpmux-xmp.webp')],
  ]
}

test('words are written into JPEG, PNG and WebP without changing a pixel, and read again', async () => {
  for (const [name, mimeType, file] of await files()) {
    const written = await insert(file, mimeType)
    assert.deepEqual(await pixelsOf(written), await pixelsOf(file), name)
    assert.deepEqual(await wordsIn(written), readBack, name)
    const [before, after] = [await sharp(file).metadata(), await sharp(written).metadata()]
    assert.deepEqual(
      [after.width, after.height, after.pages, after.hasAlpha, after.orientation, after.exif, after.icc],
      [before.width, before.height, before.pages, before.hasAlpha, before.orientation, before.exif, before.icc],
      name,
    )
  }
})

test('written words replace earlier ones, and a file has one packet however often it is written', async () => {
  for (const [name, mimeType, file] of await files()) {
    const once = await insert(file, mimeType)
    const twice = await insert(once, mimeType, { ...words, title: 'Another' })
    assert.deepEqual(await wordsIn(twice), { ...readBack, title: 'Another' }, name)
    assert.equal(twice.toString('latin1').split('W5M0MpCehiHzreSzNTczkc9d').length, 2, name)
  }
})

test('what other programs wrote besides stays', async () => {
  const written = await insert(await pictureOf('exiftool-xmp.jpg'), 'image/jpeg', { title: 'Mine' })
  const packet = (await sharp(written).metadata()).xmp!.toString()
  assert.match(packet, /<xmp:Rating>4<\/xmp:Rating>/)
  const { title, creator, altTexts } = await wordsIn(written)
  assert.deepEqual([title, creator, altTexts?.['de-AT']], ['Mine', 'Ann Example, Bob Example', 'Ein Steg am Abend'])
})

test('a JPEG has no room for more than 64 KB: the caption and tags are left out first, never the rights', async () => {
  const [, mimeType, file] = (await files())[0]!
  const long = { ...words, description: '€'.repeat(10_000), altTexts: { en: 'x'.repeat(50_000) } }
  const written = await insert(file, mimeType, long)
  const { creator, rights, altTexts, description, keywords } = await wordsIn(written)
  assert.deepEqual([creator, rights, altTexts?.en?.length], ['Ann Example', '© Ann', undefined])
  assert.deepEqual([description, keywords], [undefined, undefined])
  assert.deepEqual(await pixelsOf(written), await pixelsOf(file))
})

test('a packet that cannot be read is replaced', async () => {
  const [, mimeType, file] = (await files())[0]!
  const written = await insert(file, mimeType)
  const broken = Buffer.from(written.toString('latin1').replace('</rdf:RDF>', '</rdf:RDX>'), 'latin1')
  assert.deepEqual(await wordsIn(await insert(broken, mimeType)), readBack)
})

test('a damaged file is refused at every length, and does not hang', async () => {
  for (const [name, mimeType, file] of await files()) {
    for (let length = 0; length < Math.min(file.length, 400); length += 7) {
      await insert(file.subarray(0, length), mimeType).catch((error) => assert.equal(error.code, 'corrupt-file', name))
    }
  }
})
