import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { invalid } from '#platform/errors.ts'
import { explainMultipartError } from '#platform/server/http/handle.ts'
import { countReleasedBytes } from '#platform/server/memory.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'

/** What comes while the disk writes is written together: each write costs the way to another thread. */
const highWaterMark = 1024 * 1024

/** As large as the disk takes: a whole library may come. */
export const anySize = {
  limits: { fileSize: Number.MAX_SAFE_INTEGER, files: 1, fields: 5, parts: 6, headerPairs: 50 },
  isOfAnyLength: true,
}

/** What `take` made of the one file of a multipart request; it goes again if anything else is wrong with the request. */
export async function receiveUpload<Taken extends AsyncDisposable>(
  request: FastifyRequest,
  { field, extension }: { field: string; extension: '.json' | '.zip' },
  take: (file: Readable) => Promise<Taken>,
): Promise<Taken> {
  const none = () => invalid(`Please choose a ${extension} file.`, { field })
  let taken: Taken | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file') continue
      const isWanted = part.fieldname === field && part.filename?.toLowerCase().endsWith(extension)
      taken = await (isWanted ? take(part.file) : Promise.reject(none())).catch((error) => throwAfter(part.file, error))
    }
    if (!taken) throw none()
    return taken
  } catch (error) {
    await taken?.[Symbol.asyncDispose]()
    throw explainMultipartError(error, { none, tooMany: 'Only one file can be sent at once.' })
  }
}

/** Browsers listen to an answer when they have sent everything. */
async function throwAfter(file: Readable, error: unknown): Promise<never> {
  await finished(file.resume()).catch(() => {}) // what was wrong before is what to tell
  throw error
}

/** Brings the bytes to the disk, and takes them away again when what is returned goes out of scope. */
export async function keepOnDisk(folder: BackupFolder, bytes: AsyncIterable<Buffer>) {
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
