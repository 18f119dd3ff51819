import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError, storageFull, withCause } from '#platform/errors.ts'
import { makeFolder } from '#platform/server/make-folder.ts'
import { isDiskFull } from '#platform/server/system-errors.ts'
import { lockDirectory } from '../models/directory-lock.ts'
import { type HubFile, type HubModel, hubFolder, totalBytes } from './catalog.ts'
import { createHubClient, type HubClient } from './hub-client.ts'

type FetchOptions = {
  model: HubModel
  hubUrl: string
  modelsDirectory: string
  signal?: AbortSignal
  /** Called with the bytes that are there and checked, or arriving. */
  onProgress?: (bytes: number) => void
  /** The first pause after a lost connection; it doubles. */
  retryMs?: number
}

/** Lost connections in a row without a single new byte. */
const mostRetries = 5
/** Left free on the disk. */
const spareBytes = 512 * 1024 ** 2

/**
 * Brings all files of a model into its folder. Files that are there with the right hash are used, so that a folder copied
 * by hand needs no network, and a download that was interrupted goes on where it stopped.
 */
export async function fetchHubFiles(options: FetchOptions): Promise<void> {
  const { model, hubUrl, modelsDirectory, signal, onProgress = () => {} } = options
  const folder = join(hubFolder(modelsDirectory), model.repository)
  // Without a lock, as a folder that is complete may be read-only.
  if ((await listMissing(folder, options)).length === 0) return
  await using _lock = await lockDirectory(folder, signal)
  const missing = await listMissing(folder, options)
  let done = totalBytes(model) - missing.reduce((sum, { bytes }) => sum + bytes, 0)
  await requireSpace(folder, missing)
  const client = createHubClient(hubUrl)
  try {
    for (const file of missing) {
      const from = done
      await fetchFile({ ...options, client, folder, file, onBytes: (bytes) => onProgress(from + bytes) })
      done += file.bytes
    }
  } finally {
    await client.close()
  }
}

async function listMissing(folder: string, { model, signal, onProgress = () => {} }: FetchOptions) {
  const missing: HubFile[] = []
  let intact = 0
  for (const file of model.files) {
    signal?.throwIfAborted()
    if (await isIntact(join(folder, file.path), file)) intact += file.bytes
    else missing.push(file)
    onProgress(intact)
  }
  return missing
}

type FileDownload = FetchOptions & { client: HubClient; folder: string; file: HubFile; onBytes(bytes: number): void }

async function fetchFile({ model, client, folder, file, signal, onBytes, retryMs = 2000 }: FileDownload) {
  const path = join(folder, file.path)
  const part = `${path}.part`
  await makeFolder(dirname(path))
  // A mirror that always begins again must not be asked for ever.
  let most = await sizeOf(part)
  for (let retries = 0; (await sizeOf(part)) !== file.bytes; ) {
    const before = await sizeOf(part)
    try {
      await fetchRest(before < file.bytes ? before : 0)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof AppError) || !error.details.isRetryable) throw error
      const arrived = await sizeOf(part)
      retries = arrived > most ? 0 : retries + 1
      most = Math.max(most, arrived)
      if (retries > mostRetries) throw error
      await wait(retryMs * 2 ** retries, undefined, { signal })
    }
  }
  if (!(await isIntact(part, file))) {
    await rm(part, { force: true })
    const sentence = `${file.path} is not the file of ${model.name} that this version expects. It was deleted; check AI_HUB_URL.`
    throw new AppError('hub-file-wrong', 502, sentence)
  }
  await rename(part, path)

  async function fetchRest(have: number) {
    const address = `${model.repository}/resolve/${model.revision}/${file.path}`
    const { body, isRest } = await client.open(address, { from: have, signal })
    let bytes = isRest ? have : 0
    let fault: unknown

    /** Ends instead of failing when the connection is lost, so that all bytes that arrived are written. */
    async function* received() {
      try {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          bytes += chunk.length
          if (bytes > file.bytes) throw tooLarge(file)
          onBytes(bytes)
          yield chunk
        }
      } catch (error) {
        fault = error
      }
    }

    await pipeline(received, createWriteStream(part, { flags: isRest ? 'a' : 'w' })).catch((error) => {
      throw isDiskFull(error) ? noSpace() : error
    })
    signal?.throwIfAborted()
    if (fault instanceof AppError) {
      await rm(part, { force: true })
      throw fault
    }
    if (bytes < file.bytes) throw withCause(client.brokenOff(file.path), fault)
  }
}

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

async function isIntact(path: string, { bytes, sha256 }: HubFile): Promise<boolean> {
  if ((await sizeOf(path)) !== bytes) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex') === sha256
}

async function requireSpace(folder: string, files: HubFile[]) {
  const { bavail, bsize } = await statfs(folder)
  const needed = files.reduce((sum, { bytes }) => sum + bytes, spareBytes)
  if (bavail * bsize < needed) throw noSpace()
}

const noSpace = () => storageFull('There is too little free space for the model. Make room or set AI_MODELS_DIR.')

const tooLarge = ({ path, bytes }: HubFile) =>
  new AppError('hub-file-wrong', 502, `${path} is larger than its ${bytes} bytes. It was deleted; check AI_HUB_URL.`)
