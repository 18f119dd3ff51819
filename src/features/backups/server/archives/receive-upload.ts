import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { invalid } from '#platform/errors.ts'
import { explainMultipartFault } from '#platform/server/http/multipart-faults.ts'
import { countSpent } from '#platform/server/memory.ts'
import type { BackupFolder } from '../folder/backup-folder.ts'

/** What comes while the disk writes is written together: each write costs the way to another thread. */
const highWaterMark = 1024 * 1024

/** As large as the disk takes: a whole library may come. */
export const anySize = {
  limits: { fileSize: Number.MAX_SAFE_INTEGER, files: 1, fields: 5, parts: 6, headerPairs: 50 },
  isOfAnyLength: true,
}

/** Brings the one file of a multipart request to the disk, and takes it away again when it goes out of scope. */
export async function receiveUpload(
  request: FastifyRequest,
  folder: BackupFolder,
  { field, extension }: { field: string; extension: '.json' | '.zip' },
) {
  await folder.prepare()
  const path = folder.temporaryPath()
  const none = () => invalid(`Please choose a ${extension} file.`, { field })
  const discard = () => rm(path, { force: true })
  try {
    const hasCome = await receive()
    if (!hasCome) throw none()
    return { path, [Symbol.asyncDispose]: discard }
  } catch (error) {
    await discard()
    throw explainMultipartFault(error, { none, tooMany: 'Only one file can be sent at once.' })
  }

  async function receive() {
    let hasCome = false
    for await (const part of request.parts()) {
      if (part.type !== 'file') continue
      if (part.fieldname !== field || !part.filename?.toLowerCase().endsWith(extension)) {
        part.file.resume()
        throw none()
      }
      part.file.on('data', (piece: Buffer) => countSpent(piece.length))
      await pipeline(part.file, createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark })).catch(
        folder.throwExplained,
      )
      hasCome = true
    }
    return hasCome
  }
}
