import { open, rm } from 'node:fs/promises'
import { pipeline, type Readable, type Transform, type Writable } from 'node:stream'
import { pipeline as finishPipeline } from 'node:stream/promises'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { decodeHtml } from './decode-html.ts'
import type { Answer } from './visit.ts'
import { badStatus, DestinationFault, notAFile, notHtml, timedOut, tooMuch, unreadableEncoding } from './web-errors.ts'
import type { WebLimits } from './web-limits.ts'

/** `url` is the final one, after redirects. */
export type FetchedPage = { url: string; html: string }

type PageLimits = Pick<WebLimits, 'pageBytes' | 'stallMs' | 'stallBytes'>

export async function readPage(answer: Answer, limits: PageLimits): Promise<FetchedPage> {
  const { pageBytes } = limits
  if (answer.status < 200 || answer.status > 299) throw badStatus(answer.status)
  const contentType = answer.header('content-type')
  if (contentType && !isHtmlType(contentType)) throw notHtml()
  if (Number(answer.header('content-length')) > pageBytes) throw tooMuch('page', pageBytes)

  using progress = watchProgress(limits, () => answer.abort(timedOut()))
  const bytes = await collectBytes(answer, pageBytes, progress.count)
  if (!contentType && !looksLikeMarkup(bytes)) throw notHtml()
  return { url: answer.url.href, html: decodeHtml(bytes, contentType) }
}

function isHtmlType(contentType: string): boolean {
  return /^\s*(text\/html|application\/xhtml\+xml)\s*(;|,|$)/i.test(contentType)
}

function looksLikeMarkup(bytes: Buffer): boolean {
  return /^[\s\u00ef\u00bb\u00bf]*</.test(bytes.subarray(0, 512).toString('latin1'))
}

/** A script, a style sheet or some data that a page asks for while it draws itself; `status` is for the page to judge. */
export type FetchedPart = { status: number; contentType: string; bytes: Buffer }

export async function readPart(answer: Answer, maxBytes: number): Promise<FetchedPart> {
  const bytes = await collectBytes(answer, maxBytes)
  return { status: answer.status, contentType: answer.header('content-type'), bytes }
}

/** Counts what comes out of the unpackers, so a small bomb is stopped as early as a large page. */
async function collectBytes(
  answer: Answer,
  maxBytes: number,
  count: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of unpackBody(answer.body, answer.header('content-encoding'))) {
    bytes += chunk.length
    count(chunk.length)
    if (bytes > maxBytes) throw tooMuch('page', maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

export type Peeked = { bytes: Buffer; size?: number }

export async function peekAnswer(answer: Answer, wantedBytes: number): Promise<Peeked> {
  if (answer.status !== 200 && answer.status !== 206) throw badStatus(answer.status)
  return { bytes: await readStart(answer, wantedBytes), size: sizeOf(answer) }
}

async function readStart(answer: Answer, wantedBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of unpackBody(answer.body, answer.header('content-encoding'))) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= wantedBytes) break
  }
  return Buffer.concat(chunks).subarray(0, wantedBytes)
}

function sizeOf(answer: Answer): number | undefined {
  const size =
    answer.status === 206
      ? /^bytes\s+\d+-\d+\/(\d+)$/i.exec(answer.header('content-range'))?.[1]
      : answer.header('content-encoding') === '' && /^\d+$/.exec(answer.header('content-length'))?.[0]
  return size ? Number(size) : undefined
}

type FileLimits = Pick<WebLimits, 'fileBytes' | 'stallMs' | 'stallBytes'>

/** Enough to recognise a web page by its beginning. */
const sniffedBytes = 256

/** Streams the answer to a new file, or to a stream; what fails leaves no file behind. */
export async function saveFile(answer: Answer, destination: Writable | string, limits: FileLimits) {
  if (answer.status !== 200) throw badStatus(answer.status)
  const encoding = answer.header('content-encoding')
  if (!encoding && Number(answer.header('content-length')) > limits.fileBytes) throw tooMuch('file', limits.fileBytes)
  const source = unpackBody(answer.body, encoding)
  const copyTo = (sink: Writable) => copy(source, sink, limits, () => answer.abort(timedOut()))
  if (typeof destination !== 'string') return copyTo(destination)

  const file = await open(destination, 'wx').catch((error) => {
    throw new DestinationFault(error)
  })
  try {
    await copyTo(file.createWriteStream())
  } catch (error) {
    await rm(destination, { force: true })
    throw error
  }
}

async function copy(source: Readable, sink: Writable, limits: FileLimits, onStall: () => void) {
  using progress = watchProgress(limits, onStall)
  let bytes = 0
  let sourceError: unknown

  async function* check() {
    let start = Buffer.alloc(0)
    try {
      for await (const chunk of source) {
        bytes += chunk.length
        progress.count(chunk.length)
        if (bytes > limits.fileBytes) throw tooMuch('file', limits.fileBytes)
        if (start.length < sniffedBytes) {
          start = Buffer.concat([start, chunk.subarray(0, sniffedBytes)])
          if (looksLikeHtml(start)) throw notAFile()
        }
        yield chunk
      }
    } catch (error) {
      sourceError = error
      throw error
    }
  }

  try {
    await finishPipeline(check, sink)
  } catch (error) {
    // A full disk is no fault of the site's.
    throw error === sourceError ? error : new DestinationFault(error)
  }
}

/** Servers call anything an image; only the bytes are believed. */
function looksLikeHtml(start: Buffer): boolean {
  return /^[\s\u00ef\u00bb\u00bf]*<(!doctype\s+html|html|head|body|title|script|meta)[\s>]/i.test(
    start.toString('latin1'),
  )
}

/**
 * Calls `onStall` when too little has arrived in one of the windows; what arrives is counted unpacked. What has come while
 * this process itself stood still is read before it is counted.
 */
function watchProgress({ stallMs, stallBytes }: Pick<WebLimits, 'stallMs' | 'stallBytes'>, onStall: () => void) {
  let arrived = 0
  let looking: NodeJS.Immediate | undefined
  const look = () => {
    if (arrived < stallBytes) onStall()
    arrived = 0
  }
  const timer = setInterval(() => {
    looking = setImmediate(look)
  }, stallMs)
  return {
    count(bytes: number) {
      arrived += bytes
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      clearImmediate(looking)
    },
  }
}

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
function unpackBody(body: Readable, contentEncoding: string): Readable {
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
