import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { errorCode } from '#engines/storage/disk.ts'
import { withCause } from '#platform/errors.ts'
import { countReleasedBytes } from '#platform/server/memory.ts'
import { damagedEntry, incomplete, modifiedArchive, unreasonable, usualMaxRatio } from './zip-checks.ts'
import {
  descriptorBytes,
  descriptorSignature,
  directorySignature,
  endOfDirectory,
  flags,
  lengthFieldBytes,
  lengthFieldId,
  localHeaderBytes,
  localSignature,
  recordBytes,
  type Sums,
  versionZip64,
} from './zip-records.ts'

export type StreamReader = ReturnType<typeof createStreamReader>

/** Reads a stream in portions of a known length. */
export function createStreamReader(source: AsyncIterator<Buffer>) {
  let held: Buffer = Buffer.alloc(0)
  let position = 0

  /** Returns whether `count` bytes are buffered; false means that the stream ended before. */
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

  /** The next bytes without consuming them; fewer at the end of the stream. */
  async function peek(count: number) {
    await hold(count)
    return held.subarray(0, count)
  }

  /** Null when fewer bytes are left. */
  async function take(count: number) {
    return (await hold(count)) ? pass(count) : null
  }

  /** At most `count` bytes, in the pieces in which they come. */
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

type StreamedEntry = {
  name: string
  isDeflated: boolean
  /** The bytes as stored in the archive. What the caller leaves unread is skipped when the next entry is requested. */
  packed: AsyncIterable<Buffer>
  packedBytes: number
}

/**
 * [Note: Streamed archives]
 * The directory of a ZIP file is at its end, so a foreign archive must be on disk before it can be read. Ours announce before
 * each entry how many bytes follow, in a header field that other programs ignore. So they are read while they are sent and
 * need no disk space. An archive that was packed again has lost the field and is read by its directory.
 */
export async function canBeStreamed(bytes: StreamReader) {
  const header = readLocalHeader(await bytes.peek(localHeaderBytes))
  if (!header) return false
  const withFields = await bytes.peek(localHeaderBytes + header.nameBytes + header.fieldsBytes)
  return readFollowingBytes(withFields.subarray(localHeaderBytes + header.nameBytes)) !== null
}

/**
 * Yields the entries and checks that the directory after them is the one they imply. `isSummed` says which stored entries are
 * compared with their checksum; callers skip those that they verify by a hash.
 */
export async function* streamEntries(
  bytes: StreamReader,
  isSummed: (name: string) => boolean,
): AsyncGenerator<StreamedEntry, void, void> {
  const directory = { count: 0, bytes: 0 }
  while (!(await isAtDirectory(bytes))) {
    const offset = bytes.position
    const { name, isZip64, isDeflated, packedBytes } = await takeHeader(bytes)
    const end = bytes.position + packedBytes
    const seen = { crc32: 0 }
    // The checksum is that of the unpacked bytes.
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
  if (!end.equals(found)) throw modifiedArchive()
}

async function isAtDirectory(bytes: StreamReader) {
  const signature = await bytes.peek(4)
  if (signature.length < 4) throw incomplete()
  return signature.readUInt32LE(0) === directorySignature
}

async function takeHeader(bytes: StreamReader) {
  const header = readLocalHeader(await takeAll(bytes, localHeaderBytes))
  if (!header) throw incomplete()
  const name = String(await takeAll(bytes, header.nameBytes))
  const packedBytes = readFollowingBytes(await takeAll(bytes, header.fieldsBytes))
  if (packedBytes === null) throw modifiedArchive()
  return { ...header, name, packedBytes }
}

async function takeAll(bytes: StreamReader, count: number) {
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

/** The unpacked bytes of an entry. It throws once they exceed the packed size by an implausible factor. */
export async function* unpacked({ name, isDeflated, packed, packedBytes }: StreamedEntry): AsyncGenerator<Buffer> {
  if (!isDeflated) return yield* packed
  let bytes = 0
  const inflated = createInflateRaw()
  try {
    // The reader of `inflated` receives the error.
    pipeline(packed, inflated, () => {})
    for await (const piece of inflated as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > usualMaxRatio * packedBytes) throw unreasonable(name)
      yield piece
    }
  } catch (error) {
    throw String(errorCode(error)).startsWith('Z_') ? withCause(damagedEntry(name), error) : error
  }
  // Deflate data marks its own end. Bytes after it are not ours, and the packed stream may still be open.
  if (inflated.bytesWritten !== packedBytes) throw damagedEntry(name)
}

/** Reads what `localHeader` writes before name and fields; null for any other header. */
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

/** How many bytes follow the header, if one of its fields says so. */
function readFollowingBytes(fields: Buffer): number | null {
  for (let at = 0; at + 4 <= fields.length; at += 4 + fields.readUInt16LE(at + 2)) {
    if (fields.readUInt16LE(at) !== lengthFieldId) continue
    return at + lengthFieldBytes <= fields.length ? Number(fields.readBigUInt64LE(at + 4)) : null
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
