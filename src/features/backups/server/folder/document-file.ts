import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable, pipeline as startPipeline } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type Known, readDocument } from '../library/read-document.ts'
import { damagedBackup, explainSnapshotFault } from './backup-faults.ts'

type Measured = { bytes: number; sha256: string }

/**
 * Compresses text into a file and returns the size and hash of the uncompressed text. Errors of the file, but not those of
 * the source, go through `throwExplained`.
 */
export async function packTo(
  path: string,
  chunks: AsyncIterable<Uint8Array | string>,
  throwExplained: (error: unknown) => Promise<never>,
): Promise<Measured> {
  const hash = createHash('sha256')
  let bytes = 0
  let isSourceAtFault = false
  async function* measured() {
    let isWaiting = true
    try {
      for await (const chunk of chunks) {
        const buffer = Buffer.from(chunk)
        hash.update(buffer)
        bytes += buffer.length
        isWaiting = false
        yield buffer
        isWaiting = true
      }
    } catch (error) {
      // An error of the file is also thrown into this generator, but at its `yield`.
      isSourceAtFault = isWaiting
      throw error
    }
  }
  const file = createWriteStream(path, { mode: 0o600 })
  await pipeline(Readable.from(measured()), createGzip({ level: 6 }), file).catch((error) => {
    if (isSourceAtFault) throw error
    return throwExplained(error)
  })
  return { bytes, sha256: hash.digest('hex') }
}

/** Errors of the file or of its compression end the stream with a readable message. */
export function openPacked(path: string): Readable {
  // The reader gets errors from the stream itself.
  const unpacked: Readable = startPipeline(createReadStream(path), createGunzip(), () => {})
  const rows = Readable.from(withExplainedErrors(unpacked), { objectMode: false })
  return rows.once('close', () => unpacked.destroy())
}

async function* withExplainedErrors(unpacked: Readable) {
  try {
    yield* unpacked
  } catch (error) {
    throw explainSnapshotFault('its rows', error)
  }
}

/** The deflate data of a verified document: gzip adds a header, and a trailer with CRC-32 and length (RFC 1952). */
export async function findDeflated(path: string) {
  const [headerBytes, trailerBytes] = [10, 8]
  await using handle = await open(path)
  const { size } = await handle.stat()
  const trailer = Buffer.alloc(trailerBytes)
  await handle.read(trailer, 0, trailerBytes, size - trailerBytes)
  const end = size - trailerBytes
  return {
    bytes: end - headerBytes,
    crc32: trailer.readUInt32LE(0),
    open: () =>
      Readable.from(withExplainedErrors(createReadStream(path, { start: headerBytes, end: end - 1 })), {
        objectMode: false,
      }),
  }
}

/** Yields the document's text and, at its end, compares size and hash with the manifest. */
export async function* unpackChecked(path: string, expected: Measured): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of openPacked(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  if (bytes !== expected.bytes || hash.digest('hex') !== expected.sha256) {
    throw damagedBackup('its rows differ from the ones that were written')
  }
}

/** The document's records, each validated by itself. */
export const readPacked = (path: string, expected: Measured, known: Known) =>
  readDocument(unpackChecked(path, expected), known)
