import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { errorCode } from '#engines/storage/disk.ts'
import { withCause } from '#platform/errors.ts'
import { countReleasedBytes } from '#platform/server/memory.ts'
import { changedSince, damagedEntry, incomplete, unreasonable, usualMaxRatio } from './zip-checks.ts'
import {
  comingFieldBytes,
  comingId,
  descriptorBytes,
  descriptorSignature,
  directorySignature,
  endOfDirectory,
  flags,
  localHeaderBytes,
  localSignature,
  recordBytes,
  type Sums,
  versionZip64,
} from './zip-records.ts'

export type ByteReader = ReturnType<typeof createByteReader>

/** Bytes on their way, taken in portions of a length that is known. */
export function createByteReader(source: AsyncIterator<Buffer>) {
  let held: Buffer = Buffer.alloc(0)
  let position = 0

  /** Says whether so many bytes are at hand; fewer are all that there are. */
  async function hold(count: number) {
    while (held.length < count) {
      const { done, value } = await source.next()
      if (done) return false
      held = held.length === 0 ? value : Buffer.concat([held, value])
    }
    return true
  }

  function pass(count: number) {
    const passed = held.subarray(0, count)
    held = held.subarray(passed.length)
    position += passed.length
    return passed
  }

  /** The next bytes, which stay; fewer where there are no more. */
  async function peek(count: number) {
    await hold(count)
    return held.subarray(0, count)
  }

  /** Null where there are fewer. */
  async function take(count: number) {
    return (await hold(count)) ? pass(count) : null
  }

  /** So many, as they come, or fewer where there are no more. */
  async function* pieces(count: number): AsyncGenerator<Buffer, void, void> {
    const end = position + count
    while (position < end && (await hold(1))) yield pass(end - position)
  }

  return {
    peek,
    take,
    pieces,
    rest: () => pieces(Number.POSITIVE_INFINITY),
    get position() {
      return position
    },
  }
}

type ArrivingEntry = {
  name: string
  isDeflated: boolean
  /** As they lie in the archive, and of what length; what is left of them when the next entry is asked for is passed over. */
  packed: AsyncIterable<Buffer>
  packedBytes: number
}

/**
 * [Note: An archive as it arrives]
 * What a ZIP file holds says its directory, at its end, so a whole one must lie on the disk before anything is taken out of it.
 * Ours say before each entry how many bytes follow, in a field of its header that other programs pass over. So an archive as
 * we wrote it can be read while it is sent: it takes no room of its own, and is looked at when its last byte is here. One
 * that somebody has packed again has lost the field, and is read by its directory.
 */
export async function isReadAsItArrives(bytes: ByteReader) {
  const header = readLocalHeader(await bytes.peek(localHeaderBytes))
  if (!header) return false
  const withFields = await bytes.peek(localHeaderBytes + header.nameBytes + header.fieldsBytes)
  return readComingBytes(withFields.subarray(localHeaderBytes + header.nameBytes)) !== null
}

/**
 * The entries one by one; it ends where the archive does, as it must after these. `isSummed`: compared with its checksum, as
 * is not necessary for what is proven in another way.
 */
export async function* arrivingEntries(
  bytes: ByteReader,
  isSummed: (name: string) => boolean,
): AsyncGenerator<ArrivingEntry, void, void> {
  const directory = { count: 0, bytes: 0 }
  while (!(await isAtDirectory(bytes))) {
    const offset = bytes.position
    const { name, isZip64, isDeflated, packedBytes } = await takeHeader(bytes)
    const end = bytes.position + packedBytes
    const seen = { crc32: 0 }
    // The sum is that of the unpacked bytes.
    const isCompared = !isDeflated && isSummed(name)
    const packed = bytes.pieces(packedBytes)
    yield { name, isDeflated, packedBytes, packed: isCompared ? summed(packed, seen) : packed }

    for await (const piece of bytes.pieces(end - bytes.position)) countReleasedBytes(piece.length)
    const descriptor = readDescriptor(await takeAll(bytes, descriptorBytes(isZip64)))
    const isWhole = descriptor?.compressedBytes === packedBytes && (!isCompared || descriptor.crc32 === seen.crc32)
    if (!isWhole) throw damagedEntry(name)
    directory.count++
    directory.bytes += recordBytes({ nameBytes: Buffer.byteLength(name), bytes: descriptor.bytes, offset }).inDirectory
  }
  const offset = bytes.position
  for await (const _record of bytes.pieces(directory.bytes));
  const end = endOfDirectory({ ...directory, offset })
  const found = await bytes.peek(end.length + 1)
  if (found.length < end.length) throw incomplete()
  if (!end.equals(found)) throw changedSince()
}

async function isAtDirectory(bytes: ByteReader) {
  const signature = await bytes.peek(4)
  if (signature.length < 4) throw incomplete()
  return signature.readUInt32LE(0) === directorySignature
}

async function takeHeader(bytes: ByteReader) {
  const header = readLocalHeader(await takeAll(bytes, localHeaderBytes))
  if (!header) throw incomplete()
  const name = String(await takeAll(bytes, header.nameBytes))
  const packedBytes = readComingBytes(await takeAll(bytes, header.fieldsBytes))
  if (packedBytes === null) throw changedSince()
  return { ...header, name, packedBytes }
}

async function takeAll(bytes: ByteReader, count: number) {
  const taken = await bytes.take(count)
  if (!taken) throw incomplete()
  return taken
}

async function* summed(pieces: AsyncIterable<Buffer>, seen: { crc32: number }) {
  for await (const piece of pieces) {
    seen.crc32 = crc32(piece, seen.crc32)
    yield piece
  }
}

/** As it was before it was packed; far more than was packed is no file of anybody's. */
export async function* unpacked({ name, isDeflated, packed, packedBytes }: ArrivingEntry): AsyncGenerator<Buffer> {
  if (!isDeflated) return yield* packed
  let bytes = 0
  const inflated = createInflateRaw()
  try {
    // The one who reads hears of an error by the stream itself.
    pipeline(packed, inflated, () => {})
    for await (const piece of inflated as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > usualMaxRatio * packedBytes) throw unreasonable(name)
      yield piece
    }
  } catch (error) {
    throw String(errorCode(error)).startsWith('Z_') ? withCause(damagedEntry(name), error) : error
  }
  // It says itself where it ends. What lies behind that is nothing of ours, and somebody may still be waiting for it.
  if (inflated.bytesWritten !== packedBytes) throw damagedEntry(name)
}

/** What `localHeader` writes before name and fields, read again; null for anything else. */
function readLocalHeader(header: Buffer) {
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localSignature) return null
  const method = header.readUInt16LE(8)
  if (header.readUInt16LE(6) !== flags || (method !== 0 && method !== 8)) return null
  return {
    isDeflated: method === 8,
    isZip64: header.readUInt16LE(4) === versionZip64,
    nameBytes: header.readUInt16LE(26),
    fieldsBytes: header.readUInt16LE(28),
  }
}

/** How many bytes follow, where a header's fields say so. */
function readComingBytes(fields: Buffer): number | null {
  for (let at = 0; at + 4 <= fields.length; at += 4 + fields.readUInt16LE(at + 2)) {
    if (fields.readUInt16LE(at) !== comingId) continue
    return at + comingFieldBytes <= fields.length ? Number(fields.readBigUInt64LE(at + 4)) : null
  }
  return null
}

function readDescriptor(descriptor: Buffer): Sums | null {
  if (descriptor.readUInt32LE(0) !== descriptorSignature) return null
  const crc32 = descriptor.readUInt32LE(4)
  if (descriptor.length !== descriptorBytes(true)) {
    return { crc32, compressedBytes: descriptor.readUInt32LE(8), bytes: descriptor.readUInt32LE(12) }
  }
  const [compressedBytes, bytes] = [8, 16].map((at) => Number(descriptor.readBigUInt64LE(at))) as [number, number]
  return { crc32, compressedBytes, bytes }
}
