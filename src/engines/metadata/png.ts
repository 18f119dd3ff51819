import { crc32 } from 'node:zlib'
import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { readOrientation, writeOrientation } from './orientation.ts'
import type { Piece } from './rewrite.ts'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** The orientation is in the first directory, at the beginning of the block. */
const maxExifBytes = 64 * 1024

/** Pixels, colors, size and animation; texts, times, EXIF and unknown chunks are dropped. */
const keptChunks = new Set(
  'IHDR PLTE IDAT tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs acTL fcTL fdAT'.split(' '),
)

export async function* keepPngPicture(reader: ByteReader): AsyncGenerator<Piece> {
  if (!(await reader.read(0, 8)).equals(signature)) throw damaged()
  yield signature
  const countChunk = createCounter(250_000)
  let hasOrientation = false
  let hasPixels = false
  for (let position = 8; ; ) {
    countChunk()
    // Decoders accept a missing end as long as the pixels are there.
    if (hasPixels && position + 8 > reader.size) break
    const header = await reader.read(position, 8)
    const length = header.readUInt32BE()
    const type = header.toString('latin1', 4, 8)
    if (type === 'IEND') break
    const end = position + 12 + length
    if (end > reader.size) throw damaged()
    if (keptChunks.has(type)) yield { start: position, end }
    if (type === 'IDAT') hasPixels = true
    if (type === 'eXIf' && !hasOrientation) {
      const orientation = readOrientation(await reader.read(position + 8, Math.min(length, maxExifBytes)))
      hasOrientation = true
      if (orientation > 1) yield chunk('eXIf', writeOrientation(orientation))
    }
    position = end
  }
  if (!hasPixels) throw damaged()
  yield chunk('IEND', Buffer.alloc(0))
}

function chunk(type: string, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(payload.length + 12)
  bytes.writeUInt32BE(payload.length)
  bytes.write(type, 4, 'latin1')
  payload.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), payload.length + 8)
  return bytes
}
