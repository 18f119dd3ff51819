import { type ByteReader, damaged } from './byte-reader.ts'
import { drawsPicture, isWellFormed, keptBytesOf } from './jpeg.ts'
import type { Patches } from './rewrite.ts'

const startOfImage = 0xd8
const endOfImage = 0xd9
const startOfScan = 0xda

/**
 * Overwrites EXIF, comments and everything outside the pictures of a Motion JPEG frame in place. A frame may have two
 * pictures, one for each field. A frame that was cut off ends within its picture.
 */
export async function cleanJpegFrame(reader: ByteReader, patches: Patches, start: number, end: number) {
  for (let position = start; position < end; ) {
    const picture = await findMarker(reader, position, end, (marker) => marker === startOfImage)
    await patches.erase(position, picture ?? end)
    if (picture === undefined) return
    position = await cleanPicture(reader, patches, picture + 2, end)
  }
}

/** Returns where the picture ends. */
async function cleanPicture(reader: ByteReader, patches: Patches, from: number, end: number): Promise<number> {
  for (let position = from; ; ) {
    const at = await findMarker(reader, position, end, isMarker)
    await patches.erase(position, at ?? end)
    if (at === undefined) return end
    const marker = (await reader.read(at + 1, 1))[0]!
    if (marker === endOfImage) return at + 2
    if (isBare(marker)) {
      position = at + 2
      continue
    }
    const length = at + 4 <= end ? (await reader.read(at + 2, 2)).readUInt16BE() : 0
    if (length < 2 || at + 2 + length > end) {
      await patches.erase(at, end)
      return end
    }
    position = at + 2 + length
    const payload = await reader.read(at + 4, length - 2)
    if (!drawsPicture(marker)) await patches.erase(at + 4 + keptBytesOf(marker, payload), position)
    else if (!isWellFormed(marker, payload)) throw damaged()
    if (marker === startOfScan) {
      position = (await findMarker(reader, position, end, (code) => isMarker(code) && !isRestart(code))) ?? end
      if (position === end) return end
    }
  }
}

const isMarker = (code: number) => code !== 0x00 && code !== 0xff
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7
const isBare = (marker: number) => isRestart(marker) || marker === 0x01 || marker === startOfImage

/** The position of the next sought marker within a range. */
async function findMarker(reader: ByteReader, start: number, end: number, isSought: (code: number) => boolean) {
  for (let position = start; position + 2 <= end; ) {
    const bytes = await reader.readSome(position)
    const last = Math.min(bytes.length, end - position) - 1
    if (last < 1) return undefined
    for (let offset = bytes.indexOf(0xff); offset >= 0 && offset < last; offset = bytes.indexOf(0xff, offset + 1)) {
      if (isSought(bytes[offset + 1]!)) return position + offset
    }
    position += last
  }
  return undefined
}
