import { open, rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { unpackBody } from './unpack-body.ts'
import type { Answer } from './visit.ts'
import { watchProgress } from './watch-progress.ts'
import { badStatus, DestinationFault, notAFile, timedOut, tooMuch } from './web-errors.ts'
import type { WebLimits } from './web-limits.ts'

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
    await pipeline(check, sink)
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
