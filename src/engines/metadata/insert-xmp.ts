import { inflateSync } from 'node:zlib'
import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { jpegSegment } from './jpeg.ts'
import type { PictureWords } from './picture-words.ts'
import { pngChunk } from './png.ts'
import { type Piece, pieceLength } from './rewrite.ts'
import { chunkHeader, type RiffChunk, readChunks } from './riff.ts'
import { writeXmp } from './write-xmp.ts'
import { maxXmpBytes } from './xmp.ts'

/**
 * [Note: Words written into a file] The new file is the old one with another XMP packet: everything else, above all the
 * coded picture, is copied as it is. Only what is in front of the picture is read, so this is quick for files of any size.
 */
type Insert = (reader: ByteReader, words: PictureWords) => Promise<Piece[]>

const inserts: Record<string, Insert> = { 'image/jpeg': intoJpeg, 'image/png': intoPng, 'image/webp': intoWebp }

export const takesWords = (mimeType: string) => mimeType in inserts

/** The parts of the new file; throws an AppError for a file whose structure is damaged. */
export const insertWords = (reader: ByteReader, mimeType: string, words: PictureWords) =>
  inserts[mimeType]!(reader, words)

const maxParts = 10_000

const xmpSegmentPrefix = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1')
const maxSegmentBytes = 0xffff - 2
const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda]

/** XMP comes behind JFIF and EXIF, which some programs expect first. */
async function intoJpeg(reader: ByteReader, words: PictureWords): Promise<Piece[]> {
  const start = await reader.read(0, 2)
  if (start[0] !== 0xff || start[1] !== startOfImage) throw damaged()
  const count = createCounter(maxParts)
  const before: Piece[] = [{ start: 0, end: 2 }]
  const after: Piece[] = []
  let existing: Buffer | undefined
  let position = 2
  for (;;) {
    count()
    const [mark, marker] = await reader.read(position, 2)
    if (mark !== 0xff || marker === 0x00) throw damaged()
    if (marker === 0xff) {
      position++
      continue
    }
    if (marker === startOfScan || marker === endOfImage) break
    const end = position + 2 + (await reader.read(position + 2, 2)).readUInt16BE()
    const payload = await reader.read(position + 4, end - position - 4)
    const isXmp = marker === 0xe1 && payload.subarray(0, xmpSegmentPrefix.length).equals(xmpSegmentPrefix)
    if (isXmp) existing ??= Buffer.from(payload.subarray(xmpSegmentPrefix.length))
    else if ((marker === 0xe0 || marker === 0xe1) && after.length === 0) before.push({ start: position, end })
    else after.push({ start: position, end })
    position = end
  }
  const packet = writeXmp(words, { existing, maxBytes: maxSegmentBytes - xmpSegmentPrefix.length })
  const segment = jpegSegment(0xe1, Buffer.concat([xmpSegmentPrefix, packet]))
  return [...before, segment, ...after, { start: position, end: reader.size }]
}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const xmpKeyword = Buffer.from('XML:com.adobe.xmp\0', 'latin1')

async function intoPng(reader: ByteReader, words: PictureWords): Promise<Piece[]> {
  if (!(await reader.read(0, 8)).equals(pngSignature)) throw damaged()
  const count = createCounter(maxParts)
  const kept: Piece[] = []
  let existing: Buffer | undefined
  let position = 8
  for (;;) {
    count()
    const header = await reader.read(position, 8)
    const type = header.toString('latin1', 4, 8)
    const end = position + 12 + header.readUInt32BE()
    if (end > reader.size) throw damaged()
    if (type === 'IDAT' || type === 'IEND') break
    const isXmp = type === 'iTXt' && (await isXmpText(reader, position + 8, end - 4))
    if (isXmp) existing ??= await readXmpText(reader, position + 8, end - 4)
    else kept.push({ start: position, end })
    position = end
  }
  const packet = writeXmp(words, { existing, maxBytes: maxXmpBytes })
  // Not compressed, without a language and a translated keyword.
  const chunk = pngChunk('iTXt', Buffer.concat([xmpKeyword, Buffer.alloc(4), packet]))
  return [{ start: 0, end: 8 }, ...kept.slice(0, 1), chunk, ...kept.slice(1), { start: position, end: reader.size }]
}

async function isXmpText(reader: ByteReader, start: number, end: number) {
  if (end - start < xmpKeyword.length + 4) return false
  return (await reader.read(start, xmpKeyword.length)).equals(xmpKeyword)
}

async function readXmpText(reader: ByteReader, start: number, end: number): Promise<Buffer | undefined> {
  if (end - start > maxXmpBytes) return undefined
  const payload = await reader.read(start, end - start)
  const isCompressed = payload[xmpKeyword.length] === 1
  const language = payload.indexOf(0, xmpKeyword.length + 2)
  const translated = language < 0 ? -1 : payload.indexOf(0, language + 1)
  if (translated < 0) return undefined
  const text = Buffer.from(payload.subarray(translated + 1))
  try {
    return isCompressed ? inflateSync(text, { maxOutputLength: maxXmpBytes }) : text
  } catch {
    return undefined // it is damaged, or too large for words
  }
}

const [xmpFlag, alphaFlag] = [0x04, 0x10]

/** The simple form of the format has no room for XMP, so its size goes into a header of the extended form. */
async function intoWebp(reader: ByteReader, words: PictureWords): Promise<Piece[]> {
  const header = await reader.read(0, 12)
  if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WEBP') throw damaged()
  const end = Math.min(8 + header.readUInt32LE(4), reader.size)
  const pieces: Piece[] = []
  let features: Buffer | undefined
  let existing: Buffer | undefined
  for await (const chunk of readChunks(reader, { start: 12, end, count: createCounter(maxParts) })) {
    if (chunk.dataEnd > end) throw damaged()
    const { type, start, dataStart, dataEnd } = chunk
    if (type === 'XMP ') {
      if (dataEnd - dataStart <= maxXmpBytes)
        existing ??= Buffer.from(await reader.read(dataStart, dataEnd - dataStart))
    } else if (type === 'VP8X') {
      if (dataEnd - dataStart < 10) throw damaged()
      features = Buffer.from(await reader.read(dataStart, 10))
    } else {
      features ??= await featuresOf(reader, chunk)
      pieces.push({ start, end: Math.min(chunk.end, end) })
      if (chunk.end > end) pieces.push(Buffer.of(0))
    }
  }
  if (!features || pieces.length === 0) throw damaged()
  features[0] = features[0]! | xmpFlag
  const packet = writeXmp(words, { existing, maxBytes: maxXmpBytes })
  const body: Piece[] = [
    ...[chunkHeader('VP8X', 10), features],
    ...pieces,
    ...[chunkHeader('XMP ', packet.length), packet, Buffer.alloc(packet.length % 2)],
  ]
  const bytes = body.reduce((sum, piece) => sum + pieceLength(piece), 0)
  return [chunkHeader('RIFF', bytes + 4), Buffer.from('WEBP', 'latin1'), ...body]
}

/** Width and height less one, each in 24 bits, behind flags. */
async function featuresOf(reader: ByteReader, { type, dataStart }: RiffChunk): Promise<Buffer> {
  const begins = await reader.read(dataStart, 10)
  const features = Buffer.alloc(10)
  if (type === 'VP8 ' && begins.toString('hex', 3, 6) === '9d012a') {
    features.writeUIntLE((begins.readUInt16LE(6) & 0x3fff) - 1, 4, 3)
    features.writeUIntLE((begins.readUInt16LE(8) & 0x3fff) - 1, 7, 3)
  } else if (type === 'VP8L' && begins[0] === 0x2f) {
    const bits = begins.readUInt32LE(1)
    features.writeUIntLE(bits & 0x3fff, 4, 3)
    features.writeUIntLE((bits >>> 14) & 0x3fff, 7, 3)
    if ((bits >>> 28) & 1) features[0] = alphaFlag
  } else throw damaged()
  return features
}
