import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { unreadableEncoding } from './web-errors.ts'

/** Asked for with pages; a file is asked for as it is. */
export const acceptedEncodings = 'gzip, br, zstd'

/** One coding is the rule and two happen by mistake; thousands of layers are an attack. */
const maxLayers = 2

/** 8 MiB, as browsers have it: a larger window would only cost memory. */
const maxZstdWindowLog = 23

/** Sent where nothing was packed: S3 repeats what an upload was called, and others name the text's character set here. */
const emptyWords = new Set(['', 'identity', 'aws-chunked', 'none', 'utf-8', 'utf8', 'binary', '8bit'])

const unpackers: Record<string, () => Transform> = {
  // A page whose last bytes are missing is still a page, so the end of the input is not insisted upon.
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: maxZstdWindowLog } }),
}

/** The bytes as they were before a `Content-Encoding`; a fault on either side, or a reader who leaves, ends all of it. */
export function unpackBody(body: Readable, contentEncoding: string): Readable {
  const layers = layersOf(contentEncoding)
  if (layers.length === 0) return body
  const streams = layers.reverse().map((coding) => unpackers[coding]!())
  // The reader hears of a fault from the last stream.
  pipeline([body, ...streams], () => {})
  return streams.at(-1)!
}

function layersOf(contentEncoding: string): string[] {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim().replace(/^x-gzip$/, 'gzip'))
    .filter((coding) => !emptyWords.has(coding))
  if (codings.length > maxLayers || !codings.every((coding) => Object.hasOwn(unpackers, coding))) {
    throw unreadableEncoding()
  }
  return codings
}
