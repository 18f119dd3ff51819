import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
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
