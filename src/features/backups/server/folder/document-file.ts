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
 * Packs text on its way to a file, and says how long and what it was before packing. What goes wrong with the file, and not
 * with where the text comes from, is told by `throwExplained`.
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
      // A fault of the file ends the source too, and is thrown into it where it hands something over.
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

/** What goes wrong with the file, or with its packing, ends the stream with a sentence. */
export function openPacked(path: string): Readable {
  // Whoever reads hears of a fault by the stream itself.
  const unpacked: Readable = startPipeline(createReadStream(path), createGunzip(), () => {})
  const rows = Readable.from(explained(unpacked), { objectMode: false })
  return rows.once('close', () => unpacked.destroy())
}

async function* explained(unpacked: Readable) {
  try {
    yield* unpacked
  } catch (error) {
    throw explainSnapshotFault('its rows', error)
  }
}

/** Of a packed document that was checked: gzip is deflate between a header and the sum and length of the plain text (RFC 1952). */
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
      Readable.from(explained(createReadStream(path, { start: headerBytes, end: end - 1 })), { objectMode: false }),
  }
}

/** Reads a packed document to its end while it is looked at, and compares it with what was promised. */
export async function* unpackChecked(path: string, promised: Measured): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of openPacked(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  if (bytes !== promised.bytes || hash.digest('hex') !== promised.sha256) {
    throw damagedBackup('its rows are not the ones that were written')
  }
}

/** Its records, each checked by itself. */
export const readPacked = (path: string, promised: Measured, known: Known) =>
  readDocument(unpackChecked(path, promised), known)
