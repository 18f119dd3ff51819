import { Transform } from 'node:stream'
import { request } from 'undici'
import { rangeNotSatisfiable } from '#engines/storage/local-files.ts'
import type { ByteRange, OpenedFile } from '#engines/storage/storage.ts'
import { asAway, notUnderstood, refusedWith } from './imagekit-errors.ts'

type Delivery = {
  range?: ByteRange
  /** How long the file should be, for answers that do not say. */
  totalBytes?: number
  timeoutMs: number
}

/** Reads a file from where ImageKit delivers it, whole or in part; null when there is none. A silent line is cut. */
export async function openDelivered(
  address: string,
  { range, totalBytes = 0, timeoutMs }: Delivery,
): Promise<OpenedFile | null> {
  const { statusCode, headers, body } = await request(address, {
    headers: range ? { range: `bytes=${range.start}-${range.end}` } : {},
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  }).catch((error) => {
    throw asAway(error)
  })
  const told = headers['content-length']
  if (statusCode === 206 && range) return { stream: body, bytes: Number(told ?? range.end - range.start + 1) }
  const bytes = Number(told ?? totalBytes)
  if (statusCode === 200 && !range) return { stream: body, bytes }
  if (statusCode === 200 && range && range.start < bytes) return cut({ stream: body, bytes }, range)
  body.on('error', () => {}) // the body is discarded
  body.destroy()
  if (statusCode === 404) return null
  if (statusCode === 206) throw notUnderstood()
  throw statusCode === 200 || statusCode === 416 ? rangeNotSatisfiable() : refusedWith(statusCode)
}

/** Not every delivery knows ranges: then the part is cut out of the whole here. */
function cut({ stream, bytes }: OpenedFile, { start, end }: ByteRange): OpenedFile {
  const last = Math.min(end, bytes - 1)
  let position = 0
  const part = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const from = Math.max(0, start - position)
      const to = Math.min(chunk.length, last + 1 - position)
      position += chunk.length
      if (to > from) this.push(chunk.subarray(from, to))
      if (position > last) {
        stream.unpipe(this)
        this.end()
        stream.destroy() // the rest of a film may be hundreds of megabytes
      }
      done()
    },
  })
  stream.on('error', (error) => {
    if (!part.writableEnded) part.destroy(error)
  })
  part.on('close', () => stream.destroy())
  stream.pipe(part)
  return { stream: part, bytes: last - start + 1 }
}
