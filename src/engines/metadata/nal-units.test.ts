import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ByteReader } from './byte-reader.ts'
import { cleanUnits, type NalFormat } from './nal-units.ts'
import type { Patches } from './rewrite.ts'
import { secret } from './stripping.fixture.ts'

const words = Buffer.from(secret)

/** Windows are as small as a reader may have them. */
function readerOf(bytes: Buffer): ByteReader {
  const reader: ByteReader = {
    size: bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
    readSome: async (position) => bytes.subarray(position, position + 7),
    clone: () => reader,
  }
  return reader
}

async function clean(bytes: Buffer, format: NalFormat) {
  const copy = Buffer.from(bytes)
  const write: Patches['write'] = async (position, part) => void copy.set(part, position)
  const patches: Patches = { write, erase: async (start, end) => void copy.fill(0, start, end), cutAt: async () => {} }
  await cleanUnits(readerOf(bytes), patches, { start: 0, end: bytes.length }, format)
  return copy
}

const h264: NalFormat = { codec: 'h264', lengthBytes: 4 }
const h265: NalFormat = { codec: 'h265', lengthBytes: 4 }
const withLength = (unit: Buffer) => Buffer.concat([Buffer.of(0, 0, 0, unit.length), unit])
const message = (type: number, payload: Uint8Array) => Buffer.concat([Buffer.of(type, payload.length), payload])
const unit = (header: number[], ...parts: Uint8Array[]) =>
  Buffer.concat([Buffer.from(header), ...parts, Buffer.of(0x80)])

const picture = unit([0x65], Buffer.from('picture'))
const recovery = message(6, Buffer.of(0x20, 0xc4))

test('user data of H.264 is overwritten, and pictures and recovery points are not', async () => {
  const sei = unit([0x06], recovery, message(5, Buffer.concat([Buffer.alloc(16, 9), words])), message(1, Buffer.of(7)))
  const sample = Buffer.concat([withLength(sei), withLength(picture)])
  const cleaned = await clean(sample, h264)
  const blank = message(5, Buffer.alloc(16 + words.length, 0xff))
  const expected = unit([0x06], recovery, blank, message(1, Buffer.of(7)))
  assert.deepEqual(cleaned, Buffer.concat([withLength(expected), withLength(picture)]))
})

test('user data of H.265 is overwritten in both kinds of supplemental information', async () => {
  const slice = unit([0x26, 0x01], Buffer.from('picture'))
  for (const header of [0x4e, 0x50]) {
    const sample = Buffer.concat([withLength(unit([header, 0x01], message(4, words))), withLength(slice)])
    const cleaned = await clean(sample, h265)
    assert.equal(cleaned.indexOf(words), -1)
    assert.deepEqual(cleaned.subarray(-slice.length), slice)
  }
})

test('units that no decoder draws are overwritten', async () => {
  for (const type of [0, 12, 16, 24, 31]) {
    const cleaned = await clean(withLength(unit([type], words)), h264)
    assert.equal(cleaned.indexOf(words), -1, String(type))
    assert.equal(cleaned[4], type)
  }
  assert.equal((await clean(withLength(unit([48 << 1, 1], words)), h265)).indexOf(words), -1)
})

test('units between start codes are found, and a start code is never made', async () => {
  const code = Buffer.of(0, 0, 0, 1)
  const sei = unit([0x06], message(5, words))
  const sample = Buffer.concat([code, sei, code, picture, code, sei])
  const cleaned = await clean(sample, { codec: 'h264', lengthBytes: 0 })
  assert.equal(cleaned.indexOf(words), -1)
  assert.ok(cleaned.includes(picture))
  const starts = (bytes: Buffer) => bytes.toString('hex').split('00000001').length
  assert.equal(starts(cleaned), starts(sample))
})

test('supplemental information that cannot be read is overwritten whole', async () => {
  const inserted = unit([0x06], recovery, Buffer.of(5, 30, 0, 0, 3, 1), Buffer.alloc(27), words)
  const endless = unit([0x06], Buffer.of(0xff, 0xff, 0xff), words)
  const tooLong = unit([0x06], Buffer.of(1, 200), words)
  for (const sei of [inserted, endless, tooLong]) {
    const cleaned = await clean(withLength(sei), h264)
    assert.deepEqual(cleaned, withLength(Buffer.concat([Buffer.of(0x06), Buffer.alloc(sei.length - 1, 0xff)])))
  }
})

test('a unit that was cut off is overwritten from its length on', async () => {
  const cut = Buffer.concat([Buffer.of(0, 0, 0, 99, 6), words])
  assert.deepEqual(await clean(cut, h264), Buffer.alloc(cut.length, 0xff))
  const cleaned = await clean(Buffer.concat([withLength(picture), Buffer.of(0, 0)]), h264)
  assert.deepEqual(cleaned, Buffer.concat([withLength(picture), Buffer.of(0xff, 0xff)]))
})
