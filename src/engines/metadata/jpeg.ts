import { type ByteReader, createCounter, damaged } from './byte-reader.ts'
import { isColorProfile } from './icc-profile.ts'
import { checkScan, createJpegTables, readTable } from './jpeg-scan.ts'
import { readOrientation, writeOrientation } from './orientation.ts'
import type { Piece } from './rewrite.ts'

const startOfImage = 0xd8
const endOfImage = 0xd9
const startOfScan = 0xda
/** Progressive pictures have about ten; a scan of few bytes may stand for all blocks of the picture. */
const maxScans = 100
const exifPrefix = Buffer.from('Exif\0\0', 'latin1')
const iccPrefix = Buffer.from('ICC_PROFILE\0', 'latin1')

/**
 * Keeps what draws the picture (frames, tables, scans, color profile, Adobe's color transform) and the orientation. Drops EXIF,
 * XMP, IPTC, comments, previews, and everything after the end of the picture, such as the film of a motion photo.
 */
export async function* keepJpegPicture(reader: ByteReader): AsyncGenerator<Piece> {
  const start = await reader.read(0, 2)
  if (start[0] !== 0xff || start[1] !== startOfImage) throw damaged()
  yield start
  const countSegment = createCounter(100_000)
  const countScan = createCounter(maxScans)
  const tables = createJpegTables()
  let hasOrientation = false
  let hasScan = false
  const profileParts: Buffer[] = []
  for (let position = 2; ; ) {
    countSegment()
    const { marker, at } = await findMarker(reader, position)
    if (marker === startOfImage) throw damaged()
    if (marker === endOfImage) break
    if (isBare(marker)) {
      position = at + 2
      continue
    }
    const length = (await reader.read(at + 2, 2)).readUInt16BE()
    const end = at + 2 + length
    if (length < 2 || end > reader.size) throw damaged()
    position = end
    const payload = await reader.read(at + 4, length - 2)
    if (drawsPicture(marker)) {
      if (!isWellFormed(marker, payload)) throw damaged()
      readTable(tables, marker, payload)
      if (marker === startOfScan) {
        countScan()
        position = await findScanEnd(reader, end)
        await checkScan(reader.clone(), tables, { header: payload, start: end, end: position })
        hasScan = true
      }
      yield { start: at, end: position }
      continue
    }
    if (isProfilePart(marker, payload)) {
      // Parts are numbered by one byte.
      if (profileParts.length === 255) continue
      profileParts.push(payload)
      profileParts.sort((one, other) => one[iccPrefix.length]! - other[iccPrefix.length]!)
      if (isWholeProfile(profileParts)) yield* profileParts.map((part) => jpegSegment(marker, part))
      continue
    }
    const cleaned = cleanSegment(marker, payload)
    if (cleaned) yield cleaned
    const orientation = marker === 0xe1 && !hasOrientation ? findOrientation(payload) : undefined
    if (!orientation) continue
    hasOrientation = true
    if (orientation > 1) yield jpegSegment(0xe1, Buffer.concat([exifPrefix, writeOrientation(orientation)]))
  }
  if (!hasScan) throw damaged()
  yield Buffer.of(0xff, endOfImage)
}

/** The next marker at or after `position`; stray bytes before it are skipped, as decoders do. */
async function findMarker(reader: ByteReader, position: number, isSought = isMarker) {
  for (;;) {
    const bytes = await reader.readSome(position)
    // A marker may span two windows, so the last byte is read again with the next window.
    const last = bytes.length - 1
    for (let offset = 0; offset < last; offset++) {
      if (bytes[offset] !== 0xff) continue
      const marker = bytes[offset + 1]!
      if (isSought(marker)) return { marker, at: position + offset }
    }
    if (position + bytes.length >= reader.size) throw damaged()
    position += last
  }
}

const isMarker = (code: number) => code !== 0x00 && code !== 0xff
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7

/** Pixel data ends at the first marker that is not a restart. */
async function findScanEnd(reader: ByteReader, position: number): Promise<number> {
  const { at } = await findMarker(reader, position, (code) => isMarker(code) && !isRestart(code))
  return at
}

/** Restart markers outside a scan and TEM have no length. */
const isBare = (marker: number) => isRestart(marker) || marker === 0x01

/** Frames, Huffman, arithmetic and quantization tables, scans, lines, restart intervals. */
export const drawsPicture = (marker: number) =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || (marker >= 0xda && marker <= 0xdd)

/** A color profile is split into numbered parts, as a segment has at most 64 KB. */
const isProfilePart = (marker: number, payload: Buffer) =>
  marker === 0xe2 && payload.length >= profileHeaderBytes && payload.subarray(0, iccPrefix.length).equals(iccPrefix)
const profileHeaderBytes = iccPrefix.length + 2

function isWholeProfile(parts: Buffer[]) {
  const isInOrder = parts.every(
    (part, index) => part[iccPrefix.length] === index + 1 && part[iccPrefix.length + 1] === parts.length,
  )
  return isInOrder && isColorProfile(Buffer.concat(parts.map((part) => part.subarray(profileHeaderBytes))))
}

/** A table or header that is longer than what it says holds something else, which no decoder reads. */
export function isWellFormed(marker: number, payload: Buffer): boolean {
  if (marker === 0xc4) return isFilled(payload, (at) => 17 + sumOf(payload.subarray(at + 1, at + 17)))
  if (marker === 0xdb) return isFilled(payload, (at) => (payload[at]! >> 4 ? 129 : 65))
  if (marker === 0xda) return payload.length === 4 + 2 * (payload[0] ?? 0)
  if (marker === 0xdc || marker === 0xdd) return payload.length === 2
  if (marker === 0xcc) return payload.length % 2 === 0
  return payload.length === 6 + 3 * (payload[5] ?? 0)
}

const sumOf = (counts: Uint8Array) => counts.reduce((sum, count) => sum + count, 0)

/** Whether entries fill the payload exactly. */
function isFilled(payload: Buffer, lengthAt: (at: number) => number) {
  let at = 0
  while (at < payload.length) at += lengthAt(at)
  return at === payload.length
}

function cleanSegment(marker: number, payload: Buffer): Uint8Array | undefined {
  const begins = payload.toString('latin1', 0, 5)
  // The rest of a JFIF segment is a preview.
  if (marker === 0xe0 && begins === 'JFIF\0' && payload.length >= 14) {
    return jpegSegment(0xe0, Buffer.concat([payload.subarray(0, 12), Buffer.of(0, 0)]))
  }
  if (marker === 0xee && begins === 'Adobe' && payload.length >= 12) return jpegSegment(0xee, payload.subarray(0, 12))
  return undefined
}

/**
 * How many bytes of a segment stay in a frame of Motion JPEG, where lengths cannot change: also the order of the fields, as AVI
 * (AVI1) and QuickTime (mjpg) write it.
 */
export function keptBytesOf(marker: number, payload: Buffer): number {
  const begins = payload.toString('latin1', 0, 5)
  if (marker === 0xe0 && begins === 'JFIF\0') return 12
  if (marker === 0xe0 && begins.startsWith('AVI1')) return Math.min(payload.length, 14)
  if (marker === 0xe1 && payload.length === 40 && payload.toString('latin1', 4, 8) === 'mjpg') return payload.length
  if (marker === 0xee && begins === 'Adobe') return 12
  return 0
}

function findOrientation(payload: Buffer): number | undefined {
  if (!payload.subarray(0, exifPrefix.length).equals(exifPrefix)) return undefined
  return readOrientation(payload.subarray(exifPrefix.length))
}

export function jpegSegment(marker: number, payload: Uint8Array): Buffer {
  const header = Buffer.of(0xff, marker, 0, 0)
  header.writeUInt16BE(payload.length + 2, 2)
  return Buffer.concat([header, payload])
}
