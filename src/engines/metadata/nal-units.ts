import type { ByteReader } from './byte-reader.ts'
import type { Patches } from './rewrite.ts'

/** H.264 and H.265 films consist of NAL units. `lengthBytes` precede each unit; 0 if start codes separate them (Annex B). */
export type NalFormat = { codec: 'h264' | 'h265'; lengthBytes: number }

type Range = { start: number; end: number }

const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/**
 * What a decoder reads; in any other unit, and in supplemental information (SEI), a program can write anything. Browsers do not
 * draw the second view or the layers of H.264.
 */
const drawnUnits = {
  h264: new Set([...between(1, 5), 7, 8, 9, 10, 11]),
  // 62 is the dynamic range of Dolby Vision.
  h265: new Set([...between(0, 9), ...between(16, 21), ...between(32, 37), 62]),
}
/** Delimiters and ends have no more bytes than this, header included, and the dynamic range of a picture has some hundred. */
const longestUnits: Record<NalFormat['codec'], Record<number, number>> = {
  h264: { 9: 2, 10: 1, 11: 1 },
  h265: { 35: 3, 36: 2, 37: 2, 62: 2048 },
}
const seiUnits = { h264: new Set([6]), h265: new Set([39, 40]) }
const headerBytes = { h264: 1, h265: 2 }

/**
 * Buffering, timing, recovery, frame packing, orientation, and the static dynamic range (mastering display, light level,
 * transfer). User data (4 and 5) carries words, serial numbers and positions.
 */
const keptMessages = new Set([0, 1, 6, 45, 47, 129, 130, 132, 137, 144, 147])
/** They are numbers; a longer one was written to hide something. */
const longestKeptMessage = 64

/** Overwrites in place what no decoder draws: the lengths stay. A filler of ones never forms a start code. */
export async function cleanUnits(reader: ByteReader, patches: Patches, { start, end }: Range, format: NalFormat) {
  if (format.lengthBytes === 0) {
    let isFirst = true
    for await (const unit of unitsByStartCode(reader, start, end)) {
      if (isFirst) await patches.erase(start, unit.start - startCode.length)
      isFirst = false
      await cleanUnit(reader, patches, unit, format.codec)
    }
    if (isFirst) await patches.erase(start, end)
    return
  }
  for (let position = start; position < end; ) {
    // A unit that was cut off is drawn by no decoder.
    if (position + format.lengthBytes > end) return fill(patches, { start: position, end })
    const length = (await reader.read(position, format.lengthBytes)).readUIntBE(0, format.lengthBytes)
    const unit = { start: position + format.lengthBytes, end: position + format.lengthBytes + length }
    if (unit.end > end) return fill(patches, { start: position, end })
    await cleanUnit(reader, patches, unit, format.codec)
    position = unit.end
  }
}

/** One unit without its length or start code. */
export async function cleanUnit(reader: ByteReader, patches: Patches, unit: Range, codec: NalFormat['codec']) {
  if (unit.end - unit.start < headerBytes[codec]) return
  const header = (await reader.read(unit.start, 1))[0]!
  const type = codec === 'h264' ? header & 0x1f : (header >> 1) & 0x3f
  if (drawnUnits[codec].has(type)) {
    const longest = longestUnits[codec][type]
    // Zeros behind a unit belong to the next start code, if there is one.
    if (longest !== undefined) await patches.erase(unit.start + longest, unit.end)
    return
  }
  const payload = { start: unit.start + headerBytes[codec], end: unit.end }
  if (!seiUnits[codec].has(type)) return fill(patches, payload)
  const messages = await readMessages(reader, payload)
  // Filling a part would shift the rest, where bytes are inserted against false start codes.
  const isSimple = messages?.every((message) => message.isKept || !message.hasInsertedBytes)
  if (!messages || !isSimple) return fill(patches, payload)
  for (const message of messages) if (!message.isKept) await fill(patches, message)
}

type Message = Range & { isKept: boolean; hasInsertedBytes: boolean }

/** Longer supplemental information is not parsed, but overwritten whole. */
const maxSeiBytes = 64 * 1024

/** The messages of a SEI unit, with their positions in the file; null if they do not end where the unit ends. */
async function readMessages(reader: ByteReader, { start, end }: Range): Promise<Message[] | null> {
  if (end - start > maxSeiBytes) return null
  const raw = await reader.read(start, end - start)
  const { bytes, positions } = withoutInsertedBytes(raw)
  const messages: Message[] = []
  let at = 0
  const readNumber = () => {
    let number = 0
    while (bytes[at] === 0xff) number += bytes[at++]!
    return number + (bytes[at++] ?? Number.NaN)
  }
  while (at < bytes.length && !isTrailing(bytes, at)) {
    const type = readNumber()
    const length = readNumber()
    if (!(at + length <= bytes.length)) return null
    const [first, last] = [positions[at] ?? raw.length, positions[at + length] ?? raw.length]
    const hasInsertedBytes = last - first !== length
    messages.push({
      start: start + first,
      end: start + last,
      isKept: keptMessages.has(type) && length <= longestKeptMessage,
      hasInsertedBytes,
    })
    at += length
  }
  return messages
}

/** A stop bit and then zeros to the end. */
const isTrailing = (bytes: Uint8Array, at: number) =>
  bytes[at] === 0x80 && bytes.subarray(at + 1).every((byte) => byte === 0)

/** After two zeros an encoder inserts a three, which decoders skip. `positions` are those in the raw bytes. */
function withoutInsertedBytes(raw: Buffer) {
  const bytes: number[] = []
  const positions: number[] = []
  let zeros = 0
  for (const [position, byte] of raw.entries()) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0
      continue
    }
    zeros = byte === 0 ? zeros + 1 : 0
    bytes.push(byte)
    positions.push(position)
  }
  return { bytes: Uint8Array.from(bytes), positions }
}

const ones = Buffer.alloc(64 * 1024, 0xff)

async function fill(patches: Patches, { start, end }: Range) {
  for (let position = start; position < end; position += ones.length) {
    await patches.write(position, ones.subarray(0, Math.min(ones.length, end - position)))
  }
}

/** Start codes are 00 00 01. */
async function* unitsByStartCode(reader: ByteReader, start: number, end: number): AsyncGenerator<Range> {
  let unitStart: number | undefined
  for (let position = start; position + 3 <= end; ) {
    const bytes = await reader.readSome(position)
    const length = Math.min(bytes.length, end - position)
    const at = bytes.subarray(0, length).indexOf(startCode)
    if (at < 0) {
      if (length < 3) break
      position += length - 2
      continue
    }
    if (unitStart !== undefined) yield { start: unitStart, end: position + at }
    unitStart = position + at + startCode.length
    position = unitStart
  }
  if (unitStart !== undefined) yield { start: unitStart, end }
}

const startCode = Buffer.of(0, 0, 1)
