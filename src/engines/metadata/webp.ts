import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { isColorProfile } from './icc-profile.ts'
import { readOrientation, writeOrientation } from './orientation.ts'
import { type Piece, pieceLength } from './rewrite.ts'
import { chunkHeader, type RiffChunk, readChunks } from './riff.ts'

const exifFlag = 0x08
const xmpFlag = 0x04
const profileFlag = 0x20
const maxProfileBytes = 4 * 1024 * 1024
const maxExifBytes = 64 * 1024
const frameHeaderBytes = 16
const pictureChunks = new Set(['VP8 ', 'VP8L'])

/** Keeps pixels, frames, color profile and orientation. The file begins with its length, so all pieces are planned first. */
export async function* keepWebpPicture(reader: ByteReader): AsyncGenerator<Piece> {
  const header = await reader.read(0, 12)
  if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WEBP') throw damaged()
  const end = Math.min(8 + header.readUInt32LE(4), reader.size)
  const count = createCounter(100_000)
  const pieces: Piece[] = []
  const seen = new Set<string>()
  let features: Buffer | undefined
  let hasPixels = false
  let orientation = 1
  for await (const chunk of readChunks(reader, { start: 12, end, count })) {
    if (chunk.dataEnd > end) throw damaged()
    // Decoders read only the first chunk of each kind, except the frames of an animation.
    const kind = pictureChunks.has(chunk.type) ? 'picture' : chunk.type
    if (seen.has(kind) && kind !== 'ANMF') continue
    seen.add(kind)
    if (chunk.type === 'VP8X') {
      features = await readFeatures(reader, chunk)
      pieces.push(chunkHeader('VP8X', features.length), features)
    } else if (chunk.type === 'EXIF') {
      orientation = await findOrientation(reader, chunk)
    } else if (chunk.type === 'ANMF') {
      pieces.push(...(await keepFrame(reader, chunk, count)))
      hasPixels = true
    } else if (chunk.type === 'ICCP') {
      if (await isProfile(reader, chunk)) pieces.push(...keepChunk(chunk))
      else if (features) features[0] = features[0]! & ~profileFlag
    } else if (chunk.type === 'ANIM' && chunk.dataEnd - chunk.dataStart === 6) {
      pieces.push(...keepChunk(chunk))
    } else if (!seen.has('ANMF') && (await isPixels(reader, chunk))) {
      pieces.push(...keepChunk(chunk))
      hasPixels ||= kind === 'picture'
    }
  }
  if (!hasPixels) throw damaged()
  if (features && orientation > 1) {
    features[0] = features[0]! | exifFlag
    const exif = writeOrientation(orientation)
    pieces.push(chunkHeader('EXIF', exif.length), exif)
  }
  const bytes = pieces.reduce((sum, piece) => sum + pieceLength(piece), 0)
  yield chunkHeader('RIFF', bytes + 4)
  yield Buffer.from('WEBP', 'latin1')
  yield* pieces
}

async function isProfile(reader: ByteReader, { dataStart, dataEnd }: RiffChunk) {
  const length = dataEnd - dataStart
  return length <= maxProfileBytes && isColorProfile(await reader.read(dataStart, length))
}

/** Whether the chunk begins like a picture or its transparency; other bytes under that name are drawn by no decoder. */
async function isPixels(reader: ByteReader, { type, dataStart, dataEnd }: RiffChunk) {
  if (type === 'ALPH') return true
  if (!pictureChunks.has(type) || dataEnd - dataStart < 10) return false
  const begins = await reader.read(dataStart, 10)
  return type === 'VP8L' ? begins[0] === 0x2f : begins.toString('hex', 3, 6) === '9d012a'
}

async function readFeatures(reader: ByteReader, { dataStart, dataEnd }: RiffChunk): Promise<Buffer> {
  if (dataEnd - dataStart < 10) throw damaged()
  const features = Buffer.from(await reader.read(dataStart, 10))
  features[0] = features[0]! & ~(exifFlag | xmpFlag)
  return features
}

async function findOrientation(reader: ByteReader, { dataStart, dataEnd }: RiffChunk): Promise<number> {
  const block = await reader.read(dataStart, Math.min(dataEnd - dataStart, maxExifBytes))
  // Some encoders write JPEG's prefix before it.
  return readOrientation(block.toString('latin1', 0, 6) === 'Exif\0\0' ? block.subarray(6) : block)
}

/** A frame of an animation may have chunks of its own; only the pixels stay. */
async function keepFrame(reader: ByteReader, frame: RiffChunk, count: () => void): Promise<Piece[]> {
  const start = frame.dataStart + frameHeaderBytes
  if (start > frame.dataEnd) throw damaged()
  const pieces: Piece[] = [{ start: frame.dataStart, end: start }]
  let [hasAlpha, hasPicture] = [false, false]
  for await (const chunk of readChunks(reader, { start, end: frame.dataEnd, count })) {
    if (chunk.dataEnd > frame.dataEnd) throw damaged()
    const isAlpha = chunk.type === 'ALPH'
    if (hasPicture || (isAlpha && hasAlpha) || !(await isPixels(reader, chunk))) continue
    pieces.push(...keepChunk(chunk))
    if (isAlpha) hasAlpha = true
    else hasPicture = true
  }
  const bytes = pieces.reduce((sum, piece) => sum + pieceLength(piece), 0)
  return [chunkHeader('ANMF', bytes), ...pieces]
}

function keepChunk({ start, dataEnd, end }: RiffChunk): Piece[] {
  return end > dataEnd ? [{ start, end: dataEnd }, Buffer.of(0)] : [{ start, end }]
}
