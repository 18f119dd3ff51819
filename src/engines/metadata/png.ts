import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { isColorProfile } from './icc-profile.ts'
import { readOrientation, writeOrientation } from './orientation.ts'
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
    const isNew = repeatedChunks.has(type) || !seen.has(type)
    seen.add(type)
    if (isNew && (type === 'IDAT' || type === 'fdAT' || length <= (longest[type] ?? -1))) yield { start: position, end }
    if (isNew && type === 'iCCP' && length <= maxProfileBytes) {
      const profile = readProfile(await reader.read(position + 8, length))
      if (profile) yield chunk('iCCP', profile)
    }
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

function chunk(type: string, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(payload.length + 12)
  bytes.writeUInt32BE(payload.length)
  bytes.write(type, 4, 'latin1')
  payload.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), payload.length + 8)
  return bytes
}
