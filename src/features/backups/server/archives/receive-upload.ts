import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { invalid } from '#platform/errors.ts'
import { explainMultipartError } from '#platform/server/http/handle.ts'
import { countReleasedBytes } from '#platform/server/memory.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'

/** Bytes that arrive during a write are written together, since each write costs a round trip to another thread. */
const highWaterMark = 1024 * 1024

/** Limited by the disk only: the file may hold a whole library. */
export const anySize = {
  limits: { fileSize: Number.MAX_SAFE_INTEGER, files: 1, fields: 5, parts: 6, headerPairs: 50 },
  isOfAnyLength: true,
}

/** Passes the only file of a multipart request to `take`, and disposes its result if the rest of the request is invalid. */
export async function receiveUpload<Taken extends AsyncDisposable>(
  request: FastifyRequest,
  { field, extension }: { field: string; extension: '.json' | '.zip' },
  take: (file: Readable) => Promise<Taken>,
): Promise<Taken> {
  const missingFile = () => invalid(`Please choose a ${extension} file.`, { field })
  let result: Taken | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file') continue
      const isExpected = part.fieldname === field && part.filename?.toLowerCase().endsWith(extension)
      result = await (isExpected ? take(part.file) : Promise.reject(missingFile())).catch((error) =>
        throwAfterDraining(part.file, error),
      )
    }
    if (!result) throw missingFile()
    return result
  } catch (error) {
    await result?.[Symbol.asyncDispose]()
    throw explainMultipartError(error, { none: missingFile, tooMany: 'Please upload one file at a time.' })
  }
}

/** Browsers read a response only after they have sent everything. */
async function throwAfterDraining(file: Readable, error: unknown): Promise<never> {
  await finished(file.resume()).catch(() => {}) // the first error is the one to report
  throw error
}

/** Writes the bytes to a temporary file that is removed when the result is disposed. */
export async function writeTemporaryFile(folder: BackupFolder, bytes: AsyncIterable<Buffer>) {
  await folder.prepare()
  const path = folder.temporaryPath()
  const discard = () => rm(path, { force: true })
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark })
  try {
    await pipeline(bytes, counted, file).catch(folder.throwExplained)
    return { path, [Symbol.asyncDispose]: discard }
  } catch (error) {
    await discard()
    throw error
  }
}

async function* counted(pieces: AsyncIterable<Buffer>) {
  for await (const piece of pieces) {
    countReleasedBytes(piece.length)
    yield piece
  }
}
