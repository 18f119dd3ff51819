import { type FileHandle, open } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { ReusedBufferStream, type ReusedChunks, readReusedChunks } from '#engines/storage/reused-buffer-stream.ts'
import { AppError, withCause } from '#platform/errors.ts'
import {
  createEntryCheck,
  damagedEntry,
  incomplete,
  refuseImplausibleCount,
  refuseOverlaps,
  unexpectedEntry,
  type ZipEntry,
  type ZipLimits,
} from './zip-checks.ts'

const blockBytes = 64 * 1024

/**
 * How yauzl reads the directory of an archive. Its own reader makes two disk reads per entry and crashes the process when an
 * archive names an offset beyond 2^53. This one reads in blocks and reports such an offset as an early end.
 */
class DirectoryReader extends RandomAccessReader {
  #handle: FileHandle
  #fileBytes: number
  #block = { bytes: Buffer.alloc(0), position: 0 }

  constructor(handle: FileHandle, fileBytes: number) {
    super()
    this.#handle = handle
    this.#fileBytes = fileBytes
  }

  override read(target: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    this.#load(position, length).then((bytes) => {
      bytes.copy(target, offset)
      done(null)
    }, done)
  }

  async #load(position: number, length: number) {
    if (position + length > this.#fileBytes) throw new Error('unexpected end of file')
    const known = position - this.#block.position
    const bytes = this.#block.bytes.subarray(Math.max(known, 0), Math.max(known + length, 0))
    if (known >= 0 && bytes.length === length) return bytes
    const block = await this.#handle.read(Buffer.alloc(Math.max(blockBytes, length)), { position })
    this.#block = { bytes: block.buffer.subarray(0, block.bytesRead), position }
    if (block.bytesRead < length) throw new Error('unexpected end of file')
    return block.buffer.subarray(0, length)
  }
}

export type ZipReader = AsyncDisposable & {
  entries: ZipEntry[]
  /** The unpacked bytes. The stream ends with an error unless size and checksum match the directory. */
  read(entry: ZipEntry): Promise<ReusedBufferStream>
  /** Destroys all open streams and closes the file. */
  close(): Promise<void>
}

/**
 * Opens an untrusted archive. The whole directory is checked before anything is unpacked; one bad entry refuses the archive,
 * because a partly restored archive is worse than none.
 */
export async function openZip(path: string, limits: ZipLimits): Promise<ZipReader> {
  const handle = await open(path)
  const streams = new Set<ReusedBufferStream>()
  async function close() {
    for (const stream of streams) stream.destroy()
    await handle.close()
  }

  try {
    const { size } = await handle.stat()
    const zip = await openDirectory(handle, size)
    const entries = await readDirectory(zip, limits)
    return {
      entries,
      async read(entry) {
        const stream = unpack(await openPacked(zip, handle, entry), entry)
        streams.add(stream.once('close', () => streams.delete(stream)))
        return stream
      },
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function openDirectory(handle: FileHandle, size: number) {
  const options = { autoClose: false, strictFileNames: true }
  return fromRandomAccessReaderPromise(new DirectoryReader(handle, size), size, options).catch(explainTo(incomplete))
}

async function readDirectory(zip: ZipFile, limits: ZipLimits) {
  // The types of yauzl call it a boolean; before the first entry it is where the directory begins.
  const directoryOffset = Number(zip.readEntryCursor)
  refuseImplausibleCount({ entryCount: zip.entryCount, fileSize: zip.fileSize, directoryOffset }, limits)
  const check = createEntryCheck(limits)
  const entries: ZipEntry[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      const checked = check(entry)
      if (checked) entries.push(checked)
    }
  } catch (error) {
    throw error instanceof Error ? explain(error, incomplete) : error
  }
  refuseOverlaps(entries, zip.fileSize)
  return entries
}

/** The entry's bytes as stored in the archive. yauzl's own streams crash the process when they are destroyed early. */
async function openPacked(zip: ZipFile, handle: FileHandle, { name, offset, compressedBytes }: ZipEntry) {
  // `readLocalFileHeader` uses only these two fields; storing whole entries for a large library takes too much memory.
  const location = { relativeOffsetOfLocalHeader: offset, compressedSize: compressedBytes } as Entry
  const header = zip.readLocalFileHeaderPromise(location, { minimal: true })
  const { fileDataStart: start } = await header.catch(explainTo(() => damagedEntry(name)))
  return readReusedChunks(handle, { start, bytes: compressedBytes })
}

function unpack(packed: ReusedChunks, entry: ZipEntry): ReusedBufferStream {
  if (!entry.isDeflated) return new ReusedBufferStream(checked(packed, entry), () => {})
  const source = new ReusedBufferStream(packed, () => {})
  // The reader of the stream receives the error.
  const inflated: Readable = pipeline(source, createInflateRaw(), () => {})
  return new ReusedBufferStream(checked(inflated, entry), () => source.destroy())
}

/** Throws when more bytes come than announced, and at the end when the checksum differs. */
async function* checked(pieces: AsyncIterable<Buffer>, { name, bytes, crc32: expected }: ZipEntry): ReusedChunks {
  let seen = 0
  let sum = 0
  try {
    for await (const piece of pieces) {
      seen += piece.length
      if (seen > bytes) break
      sum = crc32(piece, sum)
      yield piece
    }
  } catch (error) {
    throw error instanceof Error ? explain(error, () => damagedEntry(name)) : error
  }
  if (seen !== bytes || sum !== expected) throw damagedEntry(name)
}

/** yauzl describes a bad archive by an error message only; a disk error has a code and is passed on unchanged. */
function explain(error: Error, otherwise: () => AppError) {
  if (error instanceof AppError || 'syscall' in error) return error
  const [, name] =
    /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)$/s.exec(error.message) ?? []
  return withCause(name === undefined ? otherwise() : unexpectedEntry(name), error)
}

function explainTo(otherwise: () => AppError) {
  return (error: Error): never => {
    throw explain(error, otherwise)
  }
}
