import { pipeline, type Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import { ReusedBufferStream, type ReusedChunks } from '#engines/storage/reused-buffer-stream.ts'
import { centralRecord, dataDescriptor, endOfDirectory, localHeader, recordBytes } from './zip-records.ts'

export type ZipSource = {
  /** A relative path with forward slashes. */
  name: string
  bytes: number
  /** The default is true for JSON only, because media is compressed already. */
  isDeflated?: boolean
  /** The source is deflated already: `open` returns that many bytes, and `crc32` is the checksum of the unpacked ones. */
  packed?: { bytes: number; crc32: number }
  /** Called when the archive reaches this entry; one source is open at a time. */
  open(): Promise<Readable>
  /** Called with the checksum when all bytes were read; an error thrown here destroys the archive. */
  onRead?(crc32: number): Promise<void> | void
}

/**
 * A ZIP file as a stream that is built while it is read: sources see back-pressure, and memory holds one chunk and the
 * directory (about 120 bytes an entry). Large sizes and counts use ZIP64. A source that fails, or whose length differs from the
 * announced one, destroys the stream.
 */
export function createZip(
  entries: AsyncIterable<ZipSource> | Iterable<ZipSource>,
  { modifiedAt = new Date() }: { modifiedAt?: Date } = {},
): Readable {
  let source: Readable | undefined
  async function openSource(entry: ZipSource) {
    source = await entry.open()
    if (zip.destroyed) source.destroy()
    return source
  }
  // A generator that waits for a source without data would never end by itself.
  const zip = new ReusedBufferStream(batched(zipChunks(entries, { modifiedAt, open: openSource })), () =>
    source?.destroy(),
  )
  return zip
}

/** Joins small chunks, because one write per header would cost more than the small files themselves. */
async function* batched(chunks: AsyncIterable<Buffer>): ReusedChunks {
  const together = Buffer.allocUnsafeSlow(64 * 1024)
  let filled = 0
  for await (const chunk of chunks) {
    if (filled > 0 && filled + chunk.length > together.length) {
      yield together.subarray(0, filled)
      filled = 0
    }
    if (chunk.length > together.length) yield chunk
    else filled += chunk.copy(together, filled)
  }
  if (filled > 0) yield together.subarray(0, filled)
}

type ZipOptions = { modifiedAt: Date; open(entry: ZipSource): Promise<Readable> }

async function* zipChunks(entries: AsyncIterable<ZipSource> | Iterable<ZipSource>, { modifiedAt, open }: ZipOptions) {
  const directory = createDirectory()
  let position = 0
  for await (const entry of entries) {
    const { bytes, packed } = entry
    const name = encodeName(entry.name)
    const isToDeflate = !packed && (entry.isDeflated ?? entry.name.endsWith('.json'))
    const isDeflated = isToDeflate || packed !== undefined
    const offset = position
    const followingBytes = isToDeflate ? undefined : (packed?.bytes ?? bytes)
    const header = localHeader({ name, isDeflated, modifiedAt, bytes, followingBytes })
    yield header

    const seen = { bytes: 0, crc32: 0 }
    let compressedBytes = 0
    const source = await open(entry)
    // zlib holds on to its input while more is read, so that memory cannot be lent.
    const isLent = source instanceof ReusedBufferStream && !isToDeflate
    const read = measured(
      isLent ? source.reusedChunks() : source,
      { name: entry.name, bytes: packed?.bytes ?? bytes },
      seen,
    )
    for await (const chunk of isToDeflate ? deflated(read) : read) {
      compressedBytes += chunk.length
      yield chunk
    }
    if (isLent) source.destroy()
    await entry.onRead?.(seen.crc32)
    const sums = { bytes, compressedBytes, crc32: packed?.crc32 ?? seen.crc32 }
    const descriptor = dataDescriptor(sums)
    yield descriptor
    position += header.length + compressedBytes + descriptor.length
    directory.add(centralRecord({ name, isDeflated, modifiedAt, offset, ...sums }))
  }
  yield* directory.blocks()
  yield endOfDirectory({ ...directory.size(), offset: position })
}

/** Counts the bytes and their checksum, and throws when the count differs from the announced one. */
async function* measured(
  source: AsyncIterable<Buffer>,
  { name, bytes }: Pick<ZipSource, 'name' | 'bytes'>,
  seen: { bytes: number; crc32: number },
) {
  for await (const chunk of source) {
    seen.bytes += chunk.length
    if (seen.bytes > bytes) break
    seen.crc32 = crc32(chunk, seen.crc32)
    if (chunk.length > 0) yield chunk
  }
  if (seen.bytes !== bytes) throw new Error(`Expected ${bytes} bytes in ${name}, received ${seen.bytes} or more`)
}

function deflated(plain: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  // The loop that reads the result receives the error.
  return pipeline(plain, createDeflateRaw(), () => {})
}

/** Joins records into blocks: a million small buffers would take more memory than their content. */
function createDirectory() {
  const full: Buffer[] = []
  let recent: Buffer[] = []
  let count = 0
  let bytes = 0

  function fold() {
    if (recent.length > 0) full.push(Buffer.concat(recent))
    recent = []
  }
  return {
    add(record: Buffer) {
      recent.push(record)
      count++
      bytes += record.length
      if (recent.length === 512) fold()
    },
    blocks() {
      fold()
      return full
    },
    size: () => ({ count, bytes }),
  }
}

/** Refuses names that our own reader, and every careful one, would refuse. */
function encodeName(name: string) {
  const isSafe =
    name.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !/[\\\p{Cc}]|^[a-z]:/iu.test(name)
  const encoded = Buffer.from(name)
  if (!isSafe || encoded.length > 0xffff) throw new Error(`Expected a relative path, received ${JSON.stringify(name)}`)
  return encoded
}

/** The length of the future archive. All entries must be stored, or deflated already. */
export async function measureZip(entries: AsyncIterable<Pick<ZipSource, 'name' | 'bytes' | 'packed'>>) {
  const directory = { count: 0, bytes: 0, offset: 0 }
  for await (const { name, bytes, packed } of entries) {
    const { around, inDirectory } = recordBytes({
      nameBytes: Buffer.byteLength(name),
      bytes,
      offset: directory.offset,
    })
    directory.count++
    directory.bytes += inDirectory
    directory.offset += around + (packed?.bytes ?? bytes)
  }
  return directory.offset + directory.bytes + endOfDirectory(directory).length
}
