import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { isColorProfile } from './icc-profile.ts'
import { readOrientation, writeOrientation } from './orientation.ts'
import { checkPixels, type PngFrame } from './png-pixels.ts'
import type { Piece } from './rewrite.ts'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** The orientation is in the first directory, at the beginning of the block. */
const maxExifBytes = 64 * 1024

/**
 * Pixels, colors, size and animation; texts, times, EXIF and unknown chunks are dropped. Those that describe the picture are
 * kept once and up to the length that the format gives them.
 */
const repeatedChunks = new Set(['IDAT', 'fcTL', 'fdAT'])
const longest: Record<string, number> = {
  IHDR: 13,
  PLTE: 768,
  tRNS: 256,
  cHRM: 32,
  gAMA: 4,
  sBIT: 4,
  sRGB: 1,
  cICP: 4,
  mDCV: 24,
  cLLI: 8,
  bKGD: 6,
  hIST: 512,
  pHYs: 9,
  acTL: 8,
  fcTL: 26,
}
const maxProfileBytes = 4 * 1024 * 1024

export async function* keepPngPicture(reader: ByteReader): AsyncGenerator<Piece> {
  if (!(await reader.read(0, 8)).equals(signature)) throw damaged()
  yield signature
  const countChunk = createCounter(250_000)
  let hasOrientation = false
  let hasPixels = false
  const seen = new Set<string>()
  let picture = Buffer.alloc(0)
  const frames: PngFrame[] = []
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
    // Without an announced animation no decoder reads the chunks of its frames.
    const isNew = repeatedChunks.has(type) ? type === 'IDAT' || seen.has('acTL') : !seen.has(type)
    seen.add(type)
    if (isNew && (type === 'IDAT' || type === 'fdAT' || length <= (longest[type] ?? -1))) yield { start: position, end }
    if (isNew && type === 'iCCP' && length <= maxProfileBytes) {
      const profile = readProfile(await reader.read(position + 8, length))
      if (profile) yield pngChunk('iCCP', profile)
    }
    if (type === 'IHDR' && isNew && length === longest.IHDR) {
      picture = Buffer.from(await reader.read(position + 8, length))
      frames.push({ width: picture.readUInt32BE(), height: picture.readUInt32BE(4), parts: [] })
    }
    if (type === 'fcTL' && isNew && length === longest.fcTL) {
      const frame = await reader.read(position + 12, 8)
      frames.push({ width: frame.readUInt32BE(), height: frame.readUInt32BE(4), parts: [] })
    }
    if (type === 'IDAT') frames[0]?.parts.push({ start: position + 8, end: end - 4 })
    // A number precedes the pixels.
    if (type === 'fdAT' && isNew) frames.at(-1)?.parts.push({ start: Math.min(position + 12, end - 4), end: end - 4 })
    if (type === 'IDAT') hasPixels = true
    if (type === 'eXIf' && !hasOrientation) {
      const orientation = readOrientation(await reader.read(position + 8, Math.min(length, maxExifBytes)))
      hasOrientation = true
      if (orientation > 1) yield pngChunk('eXIf', writeOrientation(orientation))
    }
    position = end
  }
  if (!hasPixels || picture.length === 0) throw damaged()
  for (const frame of frames) if (frame.parts.length > 0) await checkPixels(reader, picture, frame)
  yield pngChunk('IEND', Buffer.alloc(0))
}

/** The profile under a name that says nothing; undefined if it is none. */
function readProfile(payload: Buffer): Buffer | undefined {
  const nameEnd = payload.indexOf(0)
  if (nameEnd < 0 || payload[nameEnd + 1] !== 0) return undefined
  try {
    const profile = inflateSync(payload.subarray(nameEnd + 2), { maxOutputLength: maxProfileBytes })
    if (!isColorProfile(profile)) return undefined
    return Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(profile)])
  } catch {
    // It is not compressed data, or too large for a profile.
    return undefined
  }
}

export function pngChunk(type: string, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(payload.length + 12)
  bytes.writeUInt32BE(payload.length)
  bytes.write(type, 4, 'latin1')
  payload.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), payload.length + 8)
  return bytes
}
