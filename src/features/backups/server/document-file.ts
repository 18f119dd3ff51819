import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { AppError, withCause } from '#platform/errors.ts'
import { type Known, readDocument } from './library/read-document.ts'

export type Measured = { bytes: number; sha256: string }

/**
 * Packs text on its way to a file, and says how long and what it was before packing. What goes wrong with the file, and not
 * with where the text comes from, is told by `throwExplained`.
 */
export async function packTo(
  path: string,
  chunks: AsyncIterable<Uint8Array | string>,
  throwExplained: (error: unknown) => never,
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
    throwExplained(error)
  })
  return { bytes, sha256: hash.digest('hex') }
}

/** The stream ends with the file's or the packing's own error. */
export function openPacked(path: string): Readable {
  const unpacked = new PassThrough()
  pipeline(createReadStream(path), createGunzip(), unpacked).catch((error) => unpacked.destroy(error))
  return unpacked
}

export const damagedBackup = (what: string, advice = 'Please choose another one.') =>
  new AppError('damaged-backup', 409, `This backup is damaged: ${what}. ${advice}`)

export const isDamagedBackup = (error: unknown) => error instanceof AppError && error.code === 'damaged-backup'

/** Reads a packed document to its end while it is looked at, and compares it with what was promised. */
export async function* unpackChecked(path: string, promised: Measured): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of openPacked(path) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  } catch (error) {
    throw withCause(damagedBackup('its rows cannot be read'), error)
  }
  if (bytes !== promised.bytes || hash.digest('hex') !== promised.sha256) {
    throw damagedBackup('its rows are not the ones that were written')
  }
}

/** Its records, each checked by itself. */
export const readPacked = (path: string, promised: Measured, known: Known) =>
  readDocument(unpackChecked(path, promised), known)
